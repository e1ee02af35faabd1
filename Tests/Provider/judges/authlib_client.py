"""Authlib."""

import time

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from client import Client, each, signed_in
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import KeySet
from server import main
from settings import ACCESS_TOKEN, API1, API2, EXCHANGE


def a_session_works_with_each_method():
    """Authlib: code, ID token by JWKS with `at_hash`, refresh, introspection, revocation."""
    metadata = main().metadata
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=60).json())

    def check(name):
        client = Client(name)
        verifier, nonce = "v" * 50, "nonce"
        session = OAuth2Session(
            client.id, client.secret, scope="openid email offline_access",
            redirect_uri=client.redirect_uri, code_challenge_method="S256",
            token_endpoint=metadata["token_endpoint"], token_endpoint_auth_method=client.method,
            revocation_endpoint_auth_method=client.method)
        url, _ = session.create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce,
            prompt="consent")
        browser = signed_in()
        left = browser.walk(browser.open(url)).left
        token = session.fetch_token(authorization_response=left, code_verifier=verifier)
        decoded = joserfc_jwt.decode(token["id_token"], keys, algorithms=["RS256"])
        claims = CodeIDToken(
            decoded.claims, decoded.header, {"iss": {"value": main().issuer}},
            {"nonce": nonce, "client_id": client.id, "access_token": token["access_token"]})
        claims.validate(time.time())
        info = session.get(metadata["userinfo_endpoint"]).json()
        assert info["sub"] == claims["sub"] and info["email"] == main().user.email, info
        newer = session.refresh_token()
        assert newer["refresh_token"] != token["refresh_token"], newer
        if client.secret:
            found = session.introspect_token(
                metadata["introspection_endpoint"], token=newer["access_token"])
            assert found.json()["active"], found.text
        answer = session.revoke_token(
            metadata["revocation_endpoint"], token=newer["refresh_token"],
            token_type_hint="refresh_token")
        assert answer.status_code == 200, answer.text
        assert not client.userinfo(newer["access_token"]).ok
    each(["web", "post", "cli"], check)


def a_program_asks_for_itself():
    """Authlib: client credentials, for a resource."""
    client = Client("batch")
    session = OAuth2Session(client.id, client.secret, scope="a:read",
                            token_endpoint_auth_method=client.method)
    token = session.fetch_token(main().metadata["token_endpoint"],
                                grant_type="client_credentials", resource=API1)
    claims = main().verified(token["access_token"], API1)
    assert claims["sub"] == client.id and token["scope"] == "a:read", claims


def a_server_exchanges_a_token():
    """Authlib: token exchange."""
    client = Client("post")
    request, code = client.code(scope="a:read b:read", resource=[API1, API2])
    subject = client.redeem(request, code, resource=API1).json()["access_token"]
    shelf = Client("shelf")
    session = OAuth2Session(shelf.id, shelf.secret, token_endpoint_auth_method=shelf.method)
    token = session.fetch_token(
        main().metadata["token_endpoint"], grant_type=EXCHANGE, subject_token=subject,
        subject_token_type=ACCESS_TOKEN, resource=API2)
    assert main().verified(token["access_token"], API2)["act"] == {"sub": "shelf"}, token
