"""The Python SDK of MCP."""

import asyncio

import httpx2
import server
from client import Client, signed_in
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata)


class _Storage:
    def __init__(self, known):
        self.known, self.tokens = known, None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.known

    async def set_client_info(self, known):
        self.known = known


async def _walk(client, known=None, document=None):
    here, storage, left = client.server, _Storage(known), []

    async def redirect(url):
        browser = signed_in(here)
        left.append(await asyncio.to_thread(
            lambda: browser.walk(browser.open(url)).answer))

    async def callback():
        return AuthorizationCodeResult(**{
            name: value for name, value in left[-1].items() if name in ("code", "state", "iss")})
    provider = OAuthClientProvider(
        here.tools.url, OAuthClientMetadata(
            redirect_uris=[client.redirect_uri], client_name="MCP",
            grant_types=["authorization_code", "refresh_token"],
            token_endpoint_auth_method=client.method), storage, redirect, callback, document)
    async with httpx2.AsyncClient(auth=provider, trust_env=False) as http:
        answers = [await http.get(here.tools.url)]
        first = storage.tokens
        provider.context.token_expiry_time = 1
        answers.append(await http.get(here.tools.url))
    assert [answer.status_code for answer in answers] == [200, 200] and len(left) == 1, left
    second = storage.tokens
    assert first.refresh_token and first.refresh_token != second.refresh_token
    for tokens in (first, second):
        claims = here.verified(tokens.access_token, here.tools.url)
        assert "tools" in claims["scope"].split(), claims
        assert claims["client_id"] == storage.known.client_id, claims
    assert here.tools.seen[-2:] == [first.access_token, second.access_token]


def a_client_signs_in_and_calls_a_tool():
    """mcp: 401, resource and server metadata, PKCE, `resource`, `iss`, then a refresh."""
    for name in ("cli", "post"):
        client = Client(name)
        asyncio.run(_walk(client, OAuthClientInformationFull(
            **client.members, issuer=client.server.issuer)))


def a_client_with_a_document_calls_a_tool():
    """mcp: the same with a client ID metadata document."""
    members = server.documents().client("/mcp/client.json")
    asyncio.run(_walk(Client(members), document=members["client_id"]))


def a_client_registers_and_calls_a_tool():
    """mcp: the same with a registration."""
    for method in ("none", "client_secret_basic"):
        asyncio.run(_walk(Client({
            "client_id": None, "token_endpoint_auth_method": method,
            "redirect_uris": ["http://127.0.0.1:57470/callback"]}, server.open_registration())))
