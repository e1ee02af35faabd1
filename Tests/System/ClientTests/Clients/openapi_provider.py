"""Programs of others, and their tokens, for the test of the OpenAPI document of `latchkey`."""

import base64
import hashlib
import json
import urllib.parse
import urllib.request

from judge import APP
from people import http, redirected, sign_in

# As ClientTests.swift gives them to the functions.
TOOL, SHELF, RESOURCE = "tool", "shelf", "https://photos.example.com/"
SECRET = "a-secret-that-everybody-may-know"
REDIRECT, VERIFIER = "http://127.0.0.1/back", "v" * 43
# A parameter without a value counts as absent.
NO_PROOF = {"client_secret": "", "client_assertion": "", "client_assertion_type": ""}
DESCRIPTION = {
    "client_name": "Shop", "redirect_uris": ["https://shop.example.com/back"],
    "grant_types": ["authorization_code"], "scope": "openid"}


def request():
    """What a program asks of a person."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    return {
        "client_id": TOOL, "redirect_uri": REDIRECT, "response_type": "code", "scope": "openid",
        "code_challenge": challenge.decode().rstrip("="), "code_challenge_method": "S256"}


def redemption(session):
    """A form with a code for the operator's own program, about which nobody is asked."""
    query = urllib.parse.urlencode(request())
    target = redirected(urllib.request.Request(f"{APP}/oauth/authorize?{query}", headers={
        "Cookie": f"latchkey={session['refreshToken']}~{session['accessToken']}"}))["Location"]
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["code"][0]
    return NO_PROOF | {
        "grant_type": "authorization_code", "client_id": TOOL, "code": code,
        "code_verifier": VERIFIER, "redirect_uri": REDIRECT, "resource": "", "scope": ""}


def grant(session=None):
    """The tokens of a program that has access to the session's account, or that of a new one."""
    form = urllib.parse.urlencode(redemption(session or sign_in())).encode()
    with urllib.request.urlopen(f"{APP}/oauth/token", form) as answer:
        return json.load(answer)


def added(administrator):
    """The ID of a program that an administrator adds."""
    status, answer = http("POST", "/auth/clients", DESCRIPTION, administrator["accessToken"])
    assert status == 201, answer
    return answer["client_id"]


def body(path):
    if path == "/oauth/token":
        return redemption(sign_in())
    if path == "/oauth/par":
        return NO_PROOF | request() | {"resource": RESOURCE, "state": "s", "nonce": "n"}
    if path == "/oauth/device_authorization":
        return NO_PROOF | {"client_id": TOOL, "scope": "openid", "resource": RESOURCE}
    if path == "/oauth/revoke":
        return NO_PROOF | {"client_id": TOOL, "token": grant()["refresh_token"]}
    if path == "/oauth/introspect":
        return NO_PROOF | {
            "client_id": SHELF, "client_secret": SECRET, "token": grant()["access_token"]}
    if path == "/oauth/userinfo":
        return {"access_token": ""}
    if path == "/oauth/register":
        return DESCRIPTION | {
            "client_uri": "https://shop.example.com/", "response_types": ["code"],
            "token_endpoint_auth_method": "none", "application_type": "web",
            "id_token_signed_response_alg": "RS256"}
    if path == "/auth/clients":
        return DESCRIPTION | {
            "token_endpoint_auth_method": "client_secret_basic", "resource": RESOURCE,
            "allowed_resources": [RESOURCE]}
    return None
