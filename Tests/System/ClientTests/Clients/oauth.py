"""Authlib with the emulated Google: authorization code with PKCE, as in a web app."""

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from judge import case, run
from oauth_app import App, CLIENT, ISSUER, discovery, register

register()


def refused(code, call):
    try:
        call()
    except OAuthError as error:
        assert error.error == code, error
        return
    raise AssertionError(f"nothing was refused; expected {code}")


@case
def the_discovery_document_is_complete():
    assert discovery["issuer"] == ISSUER
    assert "S256" in discovery["code_challenge_methods_supported"]
    assert "RS256" in discovery["id_token_signing_alg_values_supported"]
    for endpoint in ("authorization", "token", "userinfo", "revocation"):
        assert discovery[f"{endpoint}_endpoint"].startswith(ISSUER)


@case
def somebody_signs_in():
    app = App()
    token = app.token(app.authorize(email="grace@example.com"))
    assert token["token_type"] == "Bearer" and token["expires_in"] > 3000
    claims = app.claims(token)
    assert claims["email"] == "grace@example.com" and claims["email_verified"] is True
    info = app.session.get(discovery["userinfo_endpoint"]).json()
    assert info["sub"] == claims["sub"] and info["email"] == claims["email"], info
    again = App()
    assert again.claims(again.token(again.authorize(email="grace@example.com")))["sub"] == (
        claims["sub"])


@case
def a_refresh_token_gives_access_until_it_is_revoked():
    app = App()
    token = app.token(app.authorize(access_type="offline", prompt="consent"))
    fresh = app.session.refresh_token(
        discovery["token_endpoint"], refresh_token=token["refresh_token"])
    assert fresh["access_token"] != token["access_token"]
    assert app.session.get(discovery["userinfo_endpoint"]).status_code == 200
    revoked = app.session.revoke_token(
        discovery["revocation_endpoint"], token["refresh_token"], token_type_hint="refresh_token")
    assert revoked.status_code == 200, revoked.text
    refused("invalid_grant", lambda: app.session.refresh_token(
        discovery["token_endpoint"], refresh_token=token["refresh_token"]))


@case
def an_address_that_is_not_registered_gets_nobody():
    url, _ = OAuth2Session(
        CLIENT, scope="openid", redirect_uri="https://evil.example/").create_authorization_url(
            discovery["authorization_endpoint"])
    answer = requests.get(url, allow_redirects=False)
    assert answer.status_code == 400 and "Location" not in answer.headers


run()
