"""Clients with the profile of FAPI 2.0."""

import json
import urllib.parse

import settings
from browser import Browser
from client import Authorization, Client, at_once, each, good, refused, signed_in
from requests_oauth2client import DPoPKey
from server import main, of_one_process
from settings import API1, API2, DEVICE, public_key, secret


def _proof(key, path="/oauth/token", method="POST", **more):
    return {"DPoP": str(key.proof(method, main().issuer + path, **more))}


def _code(client, browser=None, **changes):
    """Pushes a request, and gets its code."""
    request = client.request(**changes)
    pushed = client.post("/oauth/par", {
        name: value for name, value in request.parameters.items() if name != "client_id"})
    assert pushed.status_code == 201, pushed.text
    named = urllib.parse.urlencode(
        {"client_id": client.id, "request_uri": pushed.json()["request_uri"]})
    browser = browser or signed_in()
    page = browser.walk(browser.open(f"{Authorization(client, {}).endpoint}?{named}"), "allow")
    return request, request.answered(page)["code"]


def _redeem(client, request, code, headers=None, **changes):
    return client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri} | changes, headers)


def _refresh(client, tokens, key):
    return client.post("/oauth/token", {
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
        key and _proof(key))


def a_client_of_the_profile_works():
    """Z2: pushed, with a key, bound, ES256; also for a server, and for itself."""
    client, key = Client("bank"), DPoPKey.generate("ES256")
    tokens = good(_redeem(client, *_code(client, scope="openid email"), _proof(key)))
    assert tokens["token_type"] == "DPoP", tokens
    claims = main().verified(tokens["id_token"], client.id, "JWT")
    assert main().key(tokens["id_token"]).algorithm_name == "ES256" and claims["sub"], claims
    token = tokens["access_token"]
    assert client.introspect(token)["cnf"]["jkt"] == key.dpop_jkt
    assert client.userinfo(token).status_code == 401
    tokens = good(_redeem(client, *_code(client, scope="a:read", resource=API1), _proof(key)))
    assert main().verified(tokens["access_token"], API1)["cnf"]["jkt"] == key.dpop_jkt
    assert good(client.own(_proof(key), resource=API1))["token_type"] == "DPoP"
    found = main().administer("GET", "/auth/clients").json()["clients"]
    assert [one["client_id"] for one in found if one.get("profile") == "fapi2"][-1:] == ["bank"]


def an_incomplete_request_of_the_profile_is_refused():
    """Z2, PR7, J4, B34, B35: each with its error; a code is not used up."""
    client, key, weak = Client("bank"), DPoPKey.generate("ES256"), DPoPKey.generate("RS256")
    browser = signed_in()
    answer = client.request().run(browser)
    assert answer["error"] == "invalid_request" and "push" in answer["error_description"], answer
    for changes, error in (({"redirect_uri": None, "scope": "a:read"}, "invalid_request"),
                           ({"code_challenge_method": "plain"}, "invalid_request"),
                           ({"resource": API2, "scope": "b:read"}, "invalid_target")):
        refused(client.post("/oauth/par", {
            name: value for name, value in client.request(**changes).parameters.items()
            if name != "client_id"}), error)
    request, code = _code(client, browser)
    refused(_redeem(client, request, code), "invalid_dpop_proof")
    refused(_redeem(client, request, code, _proof(weak)), "invalid_dpop_proof")
    here = main().issuer
    for made in (client.assertion(algorithm="RS256"), client.assertion(aud=[here]),
                 client.assertion(aud=here + "/oauth/token"),
                 client.assertion(aud=[here, here + "/oauth/token"])):
        refused(_redeem(client, request, code, _proof(key), client_assertion=made),
                "invalid_client", status=401)
    tokens = good(_redeem(client, request, code, _proof(key)))
    refused(_refresh(client, tokens, None), "invalid_dpop_proof")
    refused(client.own(resource=API1), "invalid_dpop_proof")
    refused(client.own(_proof(key), resource=API2), "invalid_target")


def refresh_tokens_of_the_profile_are_not_replaced():
    """Z2, B3, B44: there is no rotation, so no answer can be lost; a revocation ends the token."""
    client, key = Client("bank"), DPoPKey.generate("ES256")
    tokens = good(_redeem(client, *_code(client, scope="openid offline_access"), _proof(key)))
    answers = at_once(lambda _: _refresh(client, tokens, DPoPKey.generate("ES256")), range(16))
    found = {good(answer)["refresh_token"] for answer in answers}
    assert found == {tokens["refresh_token"]}, found
    assert client.revoke(tokens["refresh_token"]).status_code == 200
    refused(_refresh(client, tokens, key), "invalid_grant")


@of_one_process
def an_unused_refresh_token_of_the_profile_expires():
    """Z2, F6: its use is noted, so a token in use lives on."""
    client, key, account = Client("bank"), DPoPKey.generate("ES256"), main().account()
    request, code = _code(client, Browser(main(), account).sign_in(),
                          scope="openid offline_access")
    tokens = good(_redeem(client, request, code, _proof(key)))
    end = client.introspect(tokens["refresh_token"])["exp"]
    main().age(f"USER#{account.id}", 3600 * 24)
    assert client.introspect(tokens["refresh_token"])["exp"] < end
    good(_refresh(client, tokens, key))
    assert client.introspect(tokens["refresh_token"])["exp"] >= end


@of_one_process
def a_description_that_contradicts_the_profile_is_refused():
    """Z2: the server does not start, and names the contradiction."""
    bank = settings.BANK
    shared = {name: value for name, value in bank.items() if name != "jwks"}

    def check(client, word, **more):
        status, log = main().start(OAUTH_CLIENTS=json.dumps([client]), **more)
        assert status == 1 and "OAUTH_CLIENTS" in log and word in log, (status, log)
    each([
        (shared | {"token_endpoint_auth_method": "client_secret_basic",
                   "client_secret": secret("bank")}, "token_endpoint_auth_method"),
        (shared | {"token_endpoint_auth_method": "none", "grant_types": ["authorization_code"]},
         "private_key_jwt"),
        (bank | {"jwks": {"keys": [public_key("RS256")]}}, "ES256"),
        (bank | {"redirect_uris": ["http://127.0.0.1/cb"]}, "https"),
        (bank | {"redirect_uris": ["com.example.bank:/cb"]}, "https"),
        (bank | {"grant_types": ["authorization_code", DEVICE]}, "grant_types"),
        (bank | {"dpop_bound_access_tokens": False}, "dpop_bound_access_tokens"),
        (bank | {"require_pushed_authorization_requests": False},
         "require_pushed_authorization_requests"),
        (bank | {"id_token_signed_response_alg": "RS256"}, "must be ES256"),
        (bank | {"allowed_resources": [API2]}, "RS256"), (bank | {"profile": "fapi1"}, "fapi2"),
    ], check)
    check(bank, "DPOP", DPOP="off")
    assert main().start(OAUTH_CLIENTS=json.dumps([bank]))[0] is None


def an_unknown_client_can_request_the_profile():
    """Z2, N2, B52: a registration with the profile gets no privileges, and is held to the
    profile."""
    members = {"client_name": "Ledger", "redirect_uris": ["https://ledger.example.net/cb"],
               "token_endpoint_auth_method": "private_key_jwt", "profile": "fapi2",
               "jwks": {"keys": [public_key("ES256")]}}

    def register(**changes):
        return main().call("POST", "/oauth/register", token=secret("registration"),
                           json=members | changes)
    made = register()
    assert made.status_code == 201, made.text
    assert made.json().items() >= {
        "profile": "fapi2", "dpop_bound_access_tokens": True,
        "require_pushed_authorization_requests": True,
        "id_token_signed_response_alg": "ES256"}.items(), made.text
    client, key = Client(made.json()), DPoPKey.generate("ES256")
    refused(_redeem(client, *_code(client)), "invalid_dpop_proof")
    assert good(_redeem(client, *_code(client), _proof(key)))["token_type"] == "DPoP"
    for changes in ({"token_endpoint_auth_method": "none", "jwks": None}, {"profile": "x"},
                    {"dpop_bound_access_tokens": False}):
        answer = register(**changes)
        refused(answer, "invalid_client_metadata")
