"""Tokens that are bound to a key (DPoP)."""

import base64
import hashlib
import time

from browser import Browser
from client import Client, each, good, refused
from requests_oauth2client import DPoPKey
from server import main
from settings import DEVICE, secret


def _proof(key, path, method="POST", token=None, **more):
    ath = token and base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest())
    return {"DPoP": str(key.proof(
        method, main().issuer + path, ath=ath and ath.decode().rstrip("="), **more))}


def _redeemed(client, request, code, key):
    return client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri}, _proof(key, "/oauth/token") if key else {})


def _refreshed(client, tokens, key):
    return client.post("/oauth/token", {
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
        _proof(key, "/oauth/token") if key else {})


def a_bound_token_is_refused_as_a_bearer_token():
    """J1, J6, J7: the token names the key; userinfo needs a new proof of it."""
    client, key, other = Client("cli"), DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    request, code = client.code(scope="openid email")
    for wrong in ("x", "", _proof(key, "/oauth/token", "GET")["DPoP"],
                  _proof(key, "/oauth/revoke")["DPoP"]):
        refused(client.post("/oauth/token", {
            "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
            "redirect_uri": client.redirect_uri}, {"DPoP": wrong}), "invalid_dpop_proof")
    tokens = good(_redeemed(client, request, code, key))
    token = tokens["access_token"]
    claims = main().verified(token, main().issuer)
    assert tokens["token_type"] == "DPoP" and claims["cnf"]["jkt"] == key.dpop_jkt, claims
    own, path = {"Authorization": f"DPoP {token}"}, "/oauth/userinfo"
    proof = _proof(key, path, "GET", token)
    each([
        (own | proof, 200), (own | proof, 401), (own, 401),
        (own | _proof(other, path, "GET", token), 401), (own | _proof(key, path, "GET"), 401),
        ({"Authorization": f"Bearer {token}"}, 401),
        ({"Authorization": f"Bearer {token}"} | _proof(key, path, "GET", token), 401),
    ], lambda headers, status: _answers(main().call("GET", path, headers=headers), status))


def _answers(answer, status):
    assert answer.status_code == status, (answer.status_code, answer.text)


def refresh_tokens_of_public_clients_are_bound():
    """J2: another key or none is refused, and the grant lives; confidential clients may change
    keys."""
    key, other = DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    client = Client("cli")
    tokens = good(_redeemed(client, *client.code(), key))
    for wrong in (None, other):
        refused(_refreshed(client, tokens, wrong), "invalid_dpop_proof", "invalid_grant")
    assert good(_refreshed(client, tokens, key))["token_type"] == "DPoP"
    client = Client("post")
    tokens = good(_redeemed(client, *client.code(), key))
    assert client.introspect(tokens["access_token"])["cnf"]["jkt"] == key.dpop_jkt
    tokens = good(_refreshed(client, tokens, other))
    assert client.introspect(tokens["access_token"])["cnf"]["jkt"] == other.dpop_jkt


def a_code_can_be_bound_too():
    """J3: a code with `dpop_jkt` needs a proof of that key."""
    key, other = DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    client = Client("cli")
    request, code = client.code(dpop_jkt=key.dpop_jkt)
    for wrong in (None, other):
        refused(_redeemed(client, request, code, wrong), "invalid_dpop_proof", "invalid_grant")
    assert good(_redeemed(client, request, code, key))["token_type"] == "DPoP"


def a_client_can_be_required_to_bind_its_tokens():
    """J4: with `dpop_bound_access_tokens`, a request without a proof gets no token, and uses up no
    code."""
    key, made = DPoPKey.generate("ES256"), main().call(
        "POST", "/oauth/register", token=secret("registration"), json={
            "client_name": "Bound", "redirect_uris": ["http://127.0.0.1/callback"],
            "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": True,
            "grant_types": ["authorization_code", "refresh_token"]})
    assert made.status_code == 201 and made.json()["dpop_bound_access_tokens"] is True, made.text
    client = Client(made.json())
    request, code = client.code()
    refused(_redeemed(client, request, code, None), "invalid_dpop_proof")
    tokens = good(_redeemed(client, request, code, key))
    refused(_refreshed(client, tokens, None), "invalid_dpop_proof", "invalid_grant")
    assert good(_refreshed(client, tokens, key))["token_type"] == "DPoP"


def a_device_binds_its_tokens():
    """J2: a device's tokens are bound to the key that it proves when it gets them."""
    key, other = DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    client = Client("tv")
    device = good(client.begin(scope="openid"))
    Browser(main(), main().account()).sign_in().connect(device["user_code"])
    tokens = good(client.post("/oauth/token", {
        "grant_type": DEVICE, "device_code": device["device_code"]}, _proof(key, "/oauth/token")))
    claims = main().verified(tokens["access_token"], main().issuer)
    assert tokens["token_type"] == "DPoP" and claims["cnf"]["jkt"] == key.dpop_jkt, claims
    refused(_refreshed(client, tokens, other), "invalid_dpop_proof", "invalid_grant")
    assert good(_refreshed(client, tokens, key))["token_type"] == "DPoP"


def a_nonce_replaces_a_wrong_clock():
    """J5: a proof with a wrong time gets a nonce; a proof with that nonce is accepted, once."""
    client = Client("cli")
    for seconds in (-86400, 86400):
        key = DPoPKey.generate("ES256", iat_generator=lambda: int(time.time()) + seconds)
        tokens = good(client.redeem(*client.code(scope="openid")))
        path = "/oauth/token"

        def refresh(proof):
            return client.post(path, {
                "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}, proof)
        first = refresh(_proof(key, path))
        refused(first, "use_dpop_nonce")
        nonce = first.headers["DPoP-Nonce"]
        made, check = nonce.split(".")
        for wrong in (f"{int(made) + 1}.{check}", f"{made}.{check[:-2]}", "x", "1." + check):
            refused(refresh(_proof(key, path, nonce=wrong)), "use_dpop_nonce")
        proof = _proof(key, path, nonce=nonce)
        assert good(refresh(proof))["token_type"] == "DPoP"
        refused(refresh(proof), "invalid_dpop_proof")
    # Where the token is used, too, but a nonce helps none that is wrong for another reason.
    tokens = good(refresh(_proof(key, path, nonce=nonce)))
    own, path = {"Authorization": f"DPoP {tokens['access_token']}"}, "/oauth/userinfo"

    def ask(proof):
        return main().call("GET", path, headers=own | proof)
    answer = ask(_proof(key, path, "GET", tokens["access_token"]))
    assert answer.status_code == 401, answer.text
    assert 'DPoP error="use_dpop_nonce"' in answer.headers["WWW-Authenticate"], answer.headers
    nonce = answer.headers["DPoP-Nonce"]
    assert ask(_proof(key, path, "GET", tokens["access_token"], nonce=nonce)).ok
    for wrong in (_proof(key, path, "POST", tokens["access_token"], nonce=nonce),
                  _proof(key, path, "GET", nonce=nonce)):
        answer = ask(wrong)
        assert answer.status_code == 401 and "DPoP-Nonce" not in answer.headers, answer.headers
