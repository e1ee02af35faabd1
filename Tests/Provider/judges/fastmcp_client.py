"""FastMCP: its client, and the MCP servers of docs/mcp-on-lambda.md."""

import asyncio
import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import types
import warnings

os.environ["FASTMCP_LOG_LEVEL"] = "CRITICAL"
import fastmcp  # noqa: E402
import requests  # noqa: E402
import server  # noqa: E402
import uvicorn  # noqa: E402
from client import Client, each, good, signed_in  # noqa: E402
from fastmcp.client.auth import OAuth  # noqa: E402
from requests_oauth2client import DPoPKey  # noqa: E402
from server import main, of_one_process  # noqa: E402
from settings import API1, FASTMCP, LAMBDA  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
PAGE, EXAMPLE = DOCS / "mcp-on-lambda.md", DOCS / "mcp-example"
WELL_KNOWN = "/.well-known/oauth-protected-resource"
warnings.filterwarnings("ignore", "Using in-memory token storage")


# MARK: The servers

def _program(word, resource):
    """The page's program that has the word, as a module with its settings."""
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    found = [program for program in programs if word in program]
    assert len(programs) == 2 and len(found) == 1, f"one of two programs has {word}"
    files = [file.read_text() for file in EXAMPLE.glob("**/*.py") if ".venv" not in file.parts]
    assert found[0] in files, f"docs/mcp-example has not what the page shows: {word}"
    module = types.ModuleType("app")
    os.environ |= {"ISSUER": main().issuer, "RESOURCE": resource}
    exec(compile(found[0], str(PAGE), "exec"), module.__dict__)
    return module


@functools.cache
def _function():
    """The resource of the page's function, behind a gateway."""
    resource = f"http://127.0.0.1:{LAMBDA}/mcp"
    app = _program("def handler", resource)

    class Gateway(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = app.handler({
                "version": "2.0", "rawPath": self.path, "isBase64Encoded": False,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "requestContext": {"http": {"method": self.command, "path": self.path}},
                **({"body": body.decode()} if body else {})}, None)
            self.send_response(answer["statusCode"])
            text = answer["body"].encode()
            for name, value in (answer["headers"] | {"content-length": str(len(text))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", LAMBDA), Gateway)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return resource


@functools.cache
def _framework():
    """The resource of the page's program with FastMCP."""
    resource = f"http://127.0.0.1:{FASTMCP}/mcp"
    app = _program("FastMCP(", resource).app
    runner = uvicorn.Server(uvicorn.Config(
        app, "127.0.0.1", FASTMCP, log_level="critical", lifespan="on"))
    threading.Thread(target=runner.run, daemon=True).start()
    deadline = time.monotonic() + 20
    while not runner.started and time.monotonic() < deadline:
        time.sleep(0.02)
    return resource


# MARK: The client

class _Person(OAuth):
    """A person with a browser, who is signed in and allows."""

    async def redirect_handler(self, authorization_url):
        browser = signed_in()
        page = await asyncio.to_thread(lambda: browser.walk(browser.open(authorization_url)))
        self.asked = page.answer
        threading.Thread(target=_arrive, args=(page.left,), daemon=True).start()


def _arrive(url):
    """At the client's own listener, which starts after the browser."""
    for _ in range(200):
        try:
            return requests.get(url, timeout=10)
        except requests.ConnectionError:
            time.sleep(0.02)


async def _walk(resource, **how):
    person = _Person(**how)
    async with fastmcp.Client(resource, auth=person) as client:
        tools = [tool.name for tool in await client.list_tools()]
        called = await client.call_tool("who")
    assert "code" in person.asked and person.asked["iss"] == main().issuer, person.asked
    return tools, called.content[0].text


# MARK: Checks

def _ask(resource, token=None, scheme="Bearer"):
    return requests.post(resource, timeout=20, headers={
        "Accept": "application/json, text/event-stream",
        **({"Authorization": f"{scheme} {token}"} if token else {})}, json={
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "check", "version": "1"}}})


def _challenge(answer):
    text = answer.headers["WWW-Authenticate"]
    assert text.startswith("Bearer "), text
    return dict(re.findall(r'(\w+)="([^"]*)"', text))


def a_client_calls_a_tool():
    """fastmcp: 401, metadata, PKCE, `resource`, a call of a tool, at both servers of the page."""
    document = server.documents().client("/fastmcp/client.json", redirect_uris=[
        "http://localhost/callback"])["client_id"]

    def check(resource, name, how):
        tools, text = asyncio.run(_walk(resource(), **how))
        assert tools == ["who"] and text == f"{main().user.id}, by {name}", (tools, text)
    each([(resource, name, how) for resource in (_function, _framework) for name, how in (
        ("cli", {"client_id": "cli"}), (document, {"client_metadata_url": document}))], check)


def only_tokens_for_the_server_are_accepted():
    """B17, S1 to S3, S8: both servers of the page refuse all others, with a challenge."""
    client, web = Client("cli"), Client("web")
    plain, foreign = client.grant(scope="openid email"), web.grant(scope="a:read", resource=API1)

    def check(resource):
        resource = resource()
        scoped = client.grant(scope="tools:use offline_access", resource=resource)
        other = client.grant(scope="tools:use", resource=(
            _framework if resource == _function() else _function)())
        less = client.grant(scope="offline_access", resource=resource)
        metadata = resource.removesuffix("/mcp") + WELL_KNOWN + "/mcp"
        answer = _ask(resource)
        assert answer.status_code == 401, answer.text
        found = _challenge(answer)
        assert found["resource_metadata"] == metadata and "error" not in found, found
        wrong = {
            "garbage": "a.b.c", "first-party": main().user.tokens["accessToken"],
            "ID": plain["id_token"], "userinfo": plain["access_token"],
            "foreign": foreign["access_token"], "other": other["access_token"],
            "refresh": scoped["refresh_token"], "changed": scoped["access_token"][:-4] + "AAAA"}
        for name, token in wrong.items():
            answer = _ask(resource, token)
            assert answer.status_code == 401, (name, answer.status_code, answer.text)
            found = _challenge(answer)
            assert (found["error"], found["resource_metadata"]) == ("invalid_token", metadata), (
                name, found)
        answer = _ask(resource, less["access_token"])
        assert answer.status_code == 403, answer.text
        found = _challenge(answer)
        assert found["error"] == "insufficient_scope", found
        # FastMCP leaves the scopes out here.
        assert found.get("scope") == "tools:use" or resource == _framework(), found
        answer = _ask(resource, scoped["access_token"])
        assert answer.status_code == 200, answer.text
    each([(_function,), (_framework,)], check)


def a_bound_token_is_refused_by_the_function():
    """J7: the page's function verifies no proofs, and takes no bound token as a bearer."""
    client, resource, key = Client("cli"), _function(), DPoPKey.generate("ES256")
    request, code = client.code(scope="tools:use", resource=resource)
    token = good(client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri, "resource": resource}, {
            "DPoP": str(key.proof("POST", main().issuer + "/oauth/token"))}))["access_token"]
    for scheme in ("Bearer", "DPoP"):
        assert _ask(resource, token, scheme).status_code == 401, scheme


@of_one_process
def the_command_prints_the_metadata():
    """S8: `latchkey oauth resource-metadata` prints what both servers of the page serve."""
    def check(resource):
        resource = resource()
        run = subprocess.run(
            [server.EXECUTABLE, "oauth", "resource-metadata", resource], check=True,
            capture_output=True, text=True, env={
                name: main().settings[name] for name in ("ISSUER", "OAUTH_RESOURCES")})
        place = resource.removesuffix("/mcp") + WELL_KNOWN + "/mcp"
        assert place in run.stderr, run.stderr
        printed, served = json.loads(run.stdout), requests.get(place, timeout=20)
        assert served.headers["Content-Type"].startswith("application/json"), served.headers
        for member in ("resource", "scopes_supported", "authorization_servers"):
            assert served.json()[member] == printed[member], (member, served.text, printed)
        assert printed["resource_name"] == "Tools", printed
    each([(_function,), (_framework,)], check)
