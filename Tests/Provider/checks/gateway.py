"""The authorizer of a gateway in front of a resource (`AUTHORIZER_RESOURCE`)."""

import base64
import hashlib
import json
import subprocess

import server
from client import Client, each, good
from requests_oauth2client import DPoPKey
from server import main, of_one_process
from settings import API1, API2

HOST, PATH = "https://gateway.example.net", "/prod/photos"


def _decision(token, scheme="Bearer", proof=None, **settings):
    """The authorizer's answer to a request of an HTTP API."""
    event = {
        "version": "2.0", "type": "REQUEST", "rawPath": PATH,
        "routeArn": "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3/prod/GET/photos",
        "headers": {"authorization": f"{scheme} {token}"} | ({"dpop": proof} if proof else {}),
        "requestContext": {
            "domainName": HOST.removeprefix("https://"), "http": {"method": "GET", "path": PATH}}}
    if server.EMULATOR:
        run = subprocess.run(
            [server.EMULATOR, "invoke", "AuthorizerFunction", "--url", main().origin],
            input=json.dumps(event), capture_output=True, text=True, check=True, timeout=60)
        return json.loads(run.stdout)
    run = subprocess.run(
        [server.EXECUTABLE, "--event", json.dumps(event)], cwd=main().home, capture_output=True,
        text=True, check=True, timeout=60, env={
            "STORE": f"sqlite:{main().home}/latchkey.db", "UI": "on",
            "MAIL_URL": f"folder:{main().home}/mail", "PATH": "/usr/bin:/bin",
            **main().settings, "AUTHORIZER_RESOURCE": API1, **settings})
    return json.loads(run.stdout)


def the_authorizer_is_for_a_resource():
    """B17, B21: also the template's authorizer, with the parameter `AuthorizerResource`."""
    client = Client("post")
    shelf = client.grant(scope="openid a:read", resource=API1)
    found = _decision(shelf["access_token"])
    assert found["isAuthorized"] and found["context"]["clientId"] == "post", found
    diary = client.grant(scope="b:read", resource=API2)
    for token in (diary["access_token"], shelf["id_token"], main().user.tokens["accessToken"]):
        _is(_decision(token), False)


@of_one_process
def only_tokens_for_the_resource_pass():
    """B17, B21: the authorizer of a resource accepts only tokens for it, with the required
    scopes."""
    web, post = Client("web"), Client("post")
    shelf, plain = web.grant(scope="openid a:read", resource=API1), post.grant(scope="openid")
    more = web.grant(scope="a:read a:write", resource=API1)
    diary = post.grant(scope="b:read", resource=API2)
    own = main().user.tokens["accessToken"]
    found = _decision(shelf["access_token"], AUTHORIZER_SCOPES="a:read")
    assert found["isAuthorized"], found
    context = found["context"]
    assert (context["userId"], context["clientId"], context["scope"]) == (
        main().user.id, "web", "a:read"), context
    assert "isAdmin" not in context, context
    each([
        (shelf["access_token"], {"AUTHORIZER_SCOPES": "a:read a:write"}, False),
        (more["access_token"], {"AUTHORIZER_SCOPES": "a:read a:write"}, True),
        (shelf["id_token"], {}, False), (shelf["refresh_token"], {}, False), (own, {}, False),
        (plain["access_token"], {}, False), (diary["access_token"], {}, False),
        (diary["access_token"], {"AUTHORIZER_RESOURCE": API2}, True),
        (shelf["access_token"], {"AUTHORIZER_RESOURCE": API2}, False),
        (shelf["access_token"], {"AUTHORIZER_RESOURCE": ""}, False),
        (own, {"AUTHORIZER_RESOURCE": ""}, True), ("a.b.c", {"AUTHORIZER_MODE": "optional"}, False),
    ], lambda token, settings, right: _is(_decision(token, **settings), right))
    web.revoke(shelf["refresh_token"])
    _is(_decision(shelf["access_token"]), False)


@of_one_process
def bound_tokens_need_a_proof():
    """J7: a bound token passes with a new proof for the request to the gateway."""
    client, key, other = Client("cli"), DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    request, code = client.code(scope="a:read", resource=API1)
    tokens = good(client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri}, {
            "DPoP": str(key.proof("POST", main().issuer + "/oauth/token"))}))
    token = tokens["access_token"]
    ath = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).decode().rstrip("=")

    def proof(key=key, host=HOST, path=PATH, ath=ath):
        return str(key.proof("GET", host + path, ath=ath))
    first = proof()
    each([
        (token, "DPoP", first, True), (token, "DPoP", first, False),
        (token, "DPoP", proof(host="https://api1.example"), True), (token, "DPoP", None, False),
        (token, "DPoP", proof(other), False), (token, "DPoP", proof(path="/x"), False),
        (token, "DPoP", proof(host="https://evil.example"), False),
        (token, "DPoP", proof(ath=None), False), (token, "Bearer", None, False),
        (token, "Bearer", proof(), False),
    ], lambda token, scheme, proof, right: _is(_decision(token, scheme, proof), right))


def _is(answer, right):
    assert answer["isAuthorized"] is right, answer
