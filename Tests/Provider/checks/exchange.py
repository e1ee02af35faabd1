"""Servers that exchange a token for another server's (RFC 8693)."""

import time

import jwt
import settings
from browser import Browser
from client import Client, each, good, refused
from requests_oauth2client import DPoPKey
from server import main, of_one_process, particular
from settings import ACCESS_TOKEN, API1, API2, EXCHANGE, KEYS


def _browser(account=None):
    return Browser(main(), account or main().account()).sign_in()


def _both(browser=None, scope="a:read b:read"):
    """A program, and its tokens for two servers, where the program itself is the first."""
    client = Client("post")
    request, code = client.code(browser or _browser(), scope=scope, resource=[API1, API2])
    return client, good(client.redeem(request, code, resource=API1))


def a_server_calls_another_for_the_user():
    """X1, X2, X4, X5: the user, the grant and its end are the same; the actor is named; scopes are
    the other server's."""
    here, browser = main(), _browser()
    program, tokens = _both(browser)
    before = here.verified(tokens["access_token"], API1)
    answer = good(Client("shelf").exchange(tokens["access_token"], resource=API2))
    assert answer.keys() == {
        "access_token", "token_type", "expires_in", "scope", "issued_token_type"}, answer
    assert answer["issued_token_type"] == ACCESS_TOKEN and answer["scope"] == "b:read", answer
    after = here.verified(answer["access_token"], API2)
    assert all(before[name] == after[name] for name in (
        "iss", "sub", "sid", "auth_time", "acr", "amr")), (before, after)
    assert after["client_id"] == "shelf" and after["act"] == {"sub": "shelf"}, after
    assert after["exp"] <= before["exp"] and after["jti"] != before["jti"], (before, after)
    assert answer["expires_in"] == after["exp"] - after["iat"], (answer, after)
    found = Client("diary").introspect(answer["access_token"])
    assert found["active"] and found["act"] == {"sub": "shelf"}, found
    # The next in the chain names both. A target that is the only one need not be named.
    chained = here.verified(good(Client("diary").exchange(answer["access_token"]))[
        "access_token"], API1)
    assert chained["act"] == {"sub": "diary", "act": {"sub": "shelf"}}, chained
    assert chained["scope"] == "a:read" and chained["exp"] <= after["exp"], chained
    for path in ("/oauth/userinfo", "/auth/me"):
        assert here.call("GET", path, token=answer["access_token"]).status_code == 401, path
    # Who exchanged it cannot end the program's grant.
    assert Client("shelf").revoke(answer["access_token"]).status_code == 200
    good(program.refresh(tokens["refresh_token"], resource=API1))


def an_exchanged_token_ends_with_its_grant():
    """X4, V4: after a revocation or a sign-out it is dead, and nothing is exchanged."""
    def check(end):
        account = main().account()
        program, tokens = _both(_browser(account))
        shelf = Client("shelf")
        token = good(shelf.exchange(tokens["access_token"], resource=API2))["access_token"]
        assert Client("diary").introspect(token)["active"]
        end(program, tokens, account)
        assert not Client("diary").introspect(token)["active"]
        refused(shelf.exchange(tokens["access_token"], resource=API2), "invalid_request")
        refused(Client("diary").exchange(token), "invalid_request")

    def sign_out(program, tokens, account):
        answer = main().call("POST", "/auth/signout", json={"scope": "all"},
                             token=account.tokens["accessToken"])
        assert answer.ok, answer.text
    each([lambda program, tokens, account: program.revoke(tokens["refresh_token"]), sign_out],
         check)


def only_what_was_granted_is_exchanged():
    """X3, X4, X6: token, target and words are judged, by client, grant and description."""
    here, browser = main(), _browser()
    program, tokens = _both(browser, "openid a:read b:read")
    subject, shelf = tokens["access_token"], Client("shelf")
    alone = program.grant(browser, scope="a:read", resource=API1)["access_token"]
    own = good(Client("batch").own(resource=API1))["access_token"]
    other = good(program.refresh(tokens["refresh_token"], resource=API2))
    each([
        ({"resource": here.tools.url}, "invalid_target"),
        ({"resource": here.issuer}, "invalid_target"), ({"resource": settings.AUDIENCE},
                                                        "invalid_target"),
        ({"resource": [API1, API2]}, "invalid_target"),
        ({"resource": API2, "scope": "a:read"}, "invalid_scope"),
        ({"resource": API2, "scope": "openid"}, "invalid_scope"),
        ({"resource": API2, "subject_token_type": None}, "invalid_request"),
        ({"resource": API2, "subject_token_type": ACCESS_TOKEN.replace("access", "id")},
         "invalid_request"),
        ({"resource": API2, "requested_token_type": ACCESS_TOKEN.replace("access", "refresh")},
         "invalid_request"),
        ({"resource": API2, "actor_token": subject, "actor_token_type": ACCESS_TOKEN},
         "invalid_request"),
        *(({"resource": API2, "subject_token": wrong}, "invalid_request") for wrong in (
            None, "x", subject[:-8], tokens["id_token"], tokens["refresh_token"], own,
            other["access_token"], here.user.tokens["accessToken"])),
        # The user has given access to the first server only.
        ({"resource": API2, "subject_token": alone}, "invalid_target"),
    ], lambda fields, error: refused(shelf.exchange(subject, **fields), error))
    for fields in ({}, {"audience": API2}, {"audience": API2, "resource": API2},
                   {"resource": API2, "requested_token_type": ACCESS_TOKEN}):
        assert here.opens(good(shelf.exchange(subject, **fields))["access_token"], API2)


def only_the_receiver_can_exchange_a_token():
    """X3, X6, B20, C8: the server that it is for, or the program that got it, if it has the grant
    type."""
    program, tokens = _both()
    subject = tokens["access_token"]
    refused(Client("diary").exchange(subject, resource=API1), "invalid_request")
    for name in ("post", "rs1", "cli", "batch"):
        refused(Client(name).exchange(subject, resource=API2), "unauthorized_client")
    wrong = Client(Client("shelf").members | {"client_secret": "x"})
    refused(wrong.exchange(subject, resource=API2), "invalid_client", status=401)
    # A program that may exchange its own.
    own, browser = Client("mixed"), _browser()
    request, code = own.code(browser, scope="a:read a:write b:read", resource=[API1, API2])
    tokens = good(own.redeem(request, code, resource=API1))
    refused(own.exchange(tokens["access_token"]), "invalid_target")
    assert good(own.exchange(tokens["access_token"], resource=API2))["scope"] == "b:read"
    less = good(own.refresh(tokens["refresh_token"], resource=API1, scope="a:read b:read"))
    # The next token does not get scopes that the exchanged token lacks, even if it could have them.
    assert good(own.exchange(less["access_token"], resource=API1))["scope"] == "a:read"


def a_bound_token_stays_bound():
    """X4, J1, J7: whoever exchanges it must prove a key; an unbound token can become bound."""
    key, own = DPoPKey.generate("ES256"), DPoPKey.generate("ES256")

    def proof(key):
        return {"DPoP": str(key.proof("POST", main().issuer + "/oauth/token"))}
    client, shelf = Client("post"), Client("shelf")
    request, code = client.code(_browser(), scope="a:read b:read", resource=[API1, API2])
    tokens = good(client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri, "resource": API1}, proof(key)))
    subject = tokens["access_token"]
    refused(shelf.exchange(subject, resource=API2), "invalid_dpop_proof")
    answer = good(shelf.exchange(subject, proof(own), resource=API2))
    claims = main().verified(answer["access_token"], API2)
    assert answer["token_type"] == "DPoP" and claims["cnf"]["jkt"] == own.dpop_jkt, claims
    plain = _both()[1]["access_token"]
    assert good(shelf.exchange(plain, proof(own), resource=API2))["token_type"] == "DPoP"


def clients_that_are_ended_end_exchanged_tokens():
    """X6, N8: a token ends with each client that exchanged it, and with the first one."""
    here, account = main(), main().account()
    browser = _browser(account)

    def add(**members):
        answer = here.administer("POST", "/auth/clients", **members)
        assert answer.status_code == 201, answer.text
        return Client({"token_endpoint_auth_method": "client_secret_basic"} | answer.json())
    shelf = add(client_name="Shelf", grant_types=[EXCHANGE], resource=API1,
                allowed_resources=[API2])
    program = add(client_name="Shop", redirect_uris=["https://shop.example.net/cb"],
                  grant_types=["authorization_code", "refresh_token"])
    request, code = program.code(browser, scope="a:read b:read", resource=[API1, API2])
    subject = good(program.redeem(request, code, resource=API1))["access_token"]
    token = good(shelf.exchange(subject, resource=API2))["access_token"]
    for client in (shelf, program):
        assert Client("diary").introspect(token)["active"]
        where = f"/auth/clients/{client.id}"
        assert here.administer("POST", where + "/disable").ok
        assert not Client("diary").introspect(token)["active"]
        refused(Client("diary").exchange(token), "invalid_request")
        assert here.administer("POST", where + "/enable").ok
    answer = here.administer("POST", "/auth/clients", client_name="Shelf", grant_types=[EXCHANGE],
                             resource=API1)
    assert answer.status_code == 400 and "allowed_resources" in answer.text, answer.text
    audit = here.administer("GET", f"/auth/users/{account.id}/audit")
    assert "tokenExchanged" in audit.text and f"{shelf.id} {API2}" in audit.text, audit.text


@of_one_process
def may_act_is_enforced():
    """X4: a token with `may_act` can be exchanged only by that client."""
    here, client = particular(), Client("post", particular())
    browser = Browser(here, here.account()).sign_in()
    request, code = client.code(browser, scope="a:read", resource=API1)
    token = good(client.redeem(request, code))["access_token"]
    claims, header = here.verified(token, API1), jwt.get_unverified_header(token)
    def check(changes, error):
        made = jwt.encode(claims | {"client_id": "post"} | changes, KEYS["ES256"], "ES256", {
            "kid": header["kid"], "typ": "at+jwt"})
        answer = Client("looper", here).exchange(made, resource=API1)
        good(answer) if error is None else refused(answer, error)
    each([
        ({}, None), ({"may_act": {"sub": "looper"}}, None),
        ({"may_act": {"sub": "mixed"}}, "invalid_request"), ({"may_act": {}}, "invalid_request"),
        ({"may_act": "looper"}, "invalid_request"), ({"exp": int(time.time())}, "invalid_request"),
        ({"act": {"sub": "nobody"}}, "invalid_request"), ({"act": "x"}, "invalid_request"),
        ({"client_id": "looper", "act": {"sub": "looper"}}, None),
        ({"client_id": "looper", "act": {"sub": "looper", "act": {"sub": "looper", "act": {
            "sub": "looper", "act": {"sub": "looper"}}}}}, "invalid_request"),
        ({"sub": "post", "sid": None}, "invalid_request"),
    ], check)
