"""ID tokens and userinfo."""

import base64
import hashlib
import json

from browser import Browser
from client import Client, each, good
from server import main
from settings import API1


def an_id_token_identifies_the_user():
    """B45, B55, B57, O2: claims and header; `alg` as registered; `at_hash` of its algorithm."""
    for name, algorithm in (("web", "RS256"), ("cli", "RS256"), ("keyed", "ES256")):
        client = Client(name)
        tokens = client.grant(scope="openid email profile", nonce="n-0S6_WzA2Mj&=")
        claims = main().verified(tokens["id_token"], client.id, "JWT")
        assert main().key(tokens["id_token"]).algorithm_name == algorithm
        assert claims["iss"] == main().issuer and claims["sub"] == main().user.id, claims
        assert claims["nonce"] == "n-0S6_WzA2Mj&=" and claims["auth_time"] <= claims["iat"], claims
        half = hashlib.sha256(tokens["access_token"].encode()).digest()[:16]
        assert claims["at_hash"] == base64.urlsafe_b64encode(half).decode().rstrip("="), claims
        assert not claims.keys() & {"azp", "email", "name", "client_id", "scope", "jkt"}, claims
        assert 0 < claims["exp"] - claims["iat"] <= 3600 and claims["sid"], claims
        assert not claims.get("amr") or "mfa" not in claims["amr"], claims
    assert "nonce" not in main().verified(Client("web").grant()["id_token"], "web", "JWT")
    assert "id_token" not in Client("web").grant(scope="a:read", resource=API1)


def userinfo_depends_on_the_scope():
    """O4: `sub` of the ID token, claims of the scopes that were granted, nothing null."""
    user, client = main().user, Client("post")
    mail, name = {"email", "email_verified"}, {"name", "updated_at"}
    rows = [("openid", set(), mail | {"name"}), ("openid email", mail, {"name"}),
            ("openid profile", {"name"}, mail), ("openid email profile", mail | {"name"}, set())]

    def check(scope, present, absent):
        tokens = client.grant(scope=scope)
        info = good(client.userinfo(tokens["access_token"]))
        assert info["sub"] == main().verified(tokens["id_token"], client.id, "JWT")["sub"], info
        assert present <= info.keys() and not absent & info.keys(), info
        assert None not in info.values() and info.keys() <= {"sub"} | mail | name | {
            "locale", "zoneinfo", "picture", "preferred_username"}, info
        if "email" in present:
            assert info["email"] == user.email and info["email_verified"] is True, info
    each(rows, check)


def claims_can_be_requested_by_name():
    """Core 5.5: each in the ID token or userinfo, after consent, and only those that the client may
    have."""
    browser, client = Browser(main(), main().account()).sign_in(), Client("post")
    asked = json.dumps({"userinfo": {"name": None, "unknown": None},
                        "id_token": {"email": {"essential": True}, "auth_time": None}})
    tokens = client.grant(browser, claims=asked)
    asked_once = browser.consents
    assert asked_once and tokens["scope"] == "openid", tokens
    for tokens in (tokens, good(client.refresh(tokens["refresh_token"]))):
        claims = main().verified(tokens["id_token"], client.id, "JWT")
        assert claims["email"] == browser.user.email and "name" not in claims, claims
        info = good(client.userinfo(tokens["access_token"]))
        assert info.keys() == {"sub", "name"}, info
    # The user was asked for the same as by words, and is not asked again.
    client.grant(browser, scope="openid profile email")
    assert browser.consents == asked_once, browser.consents
    assert client.request(claims='{"id_token": {"name": null}}', prompt="none").run(browser)["code"]
    narrow = Client("own").request(prompt="none", claims='{"id_token": {"email": null}}')
    tokens = good(Client("own").redeem(narrow, narrow.run(browser)["code"]))
    assert "email" in main().verified(tokens["id_token"], "own", "JWT"), tokens
    new = Browser(main(), main().account()).sign_in()
    answer = client.request(prompt="none", claims=asked).run(new)
    assert answer["error"] == "consent_required", answer
    page = new.open(client.request(claims=asked).url)
    assert "name" in page.text and "e-mail" in page.text.lower(), page


def a_claim_can_select_the_user():
    """Core 5.5.1: if `sub` has a value, that user must sign in."""
    client, own = Client("own"), main().account()
    browser = Browser(main(), own).sign_in()

    def answer(sub, **more):
        return client.request(claims=json.dumps({"id_token": {"sub": {"value": sub}}}),
                              prompt="none", **more).run(browser)
    assert answer(own.id)["code"] and answer(main().user.id)["error"] == "login_required"
    for wrong in ("x", 1, None):
        assert answer(wrong)["error"] == "invalid_request", wrong
    hint = Client("own").grant(browser)["id_token"]
    assert answer(own.id, id_token_hint=hint)["code"]
    assert answer(main().user.id, id_token_hint=hint)["error"] == "invalid_request"


def userinfo_takes_a_token_in_one_place():
    """E6, O4, S1, S2, S4: header or body, not both, not the query; 401 with a challenge."""
    client, path = Client("post"), "/oauth/userinfo"
    token = client.grant(scope="openid email")["access_token"]
    form = {"access_token": token}
    bearer = {"Authorization": f"Bearer {token}"}
    each([
        ("GET", {"headers": bearer}, 200, None), ("POST", {"headers": bearer}, 200, None),
        ("POST", {"data": form}, 200, None), ("GET", {}, 401, None),
        ("GET", {"headers": {"Authorization": bearer["Authorization"].replace("B", "b", 1)}}, 200,
         None), ("POST", {"headers": bearer, "data": form}, 400, "invalid_request"),
        ("GET", {"params": form}, 401, None),
        ("GET", {"headers": {"Authorization": f"Bearer x{token}"}}, 401, "invalid_token"),
        ("GET", {"headers": {"Authorization": "Bearer x"}}, 401, "invalid_token"),
    ], lambda method, more, status, error: _userinfo(
        main().call(method, path, **more), status, error))
    outside = client.grant(scope="email")["access_token"]
    _userinfo(client.userinfo(outside), 403, "insufficient_scope")
    shelf = client.grant(scope="openid a:read", resource=API1)["access_token"]
    _userinfo(client.userinfo(shelf), 401, "invalid_token")


def _userinfo(answer, status, error):
    assert answer.status_code == status, (answer.status_code, answer.text)
    if status == 200:
        return
    challenge = answer.headers.get("WWW-Authenticate", "")
    assert status == 400 or challenge.startswith("Bearer"), answer.headers
    assert ("error=" in challenge) == bool(error) or status == 400, challenge
    assert not error or error in challenge + answer.text, (challenge, answer.text)


def tampered_tokens_open_nothing():
    """B34, S5: changed claims, algorithms and signatures, at userinfo and introspection."""
    client, thief = Client("post"), Client("web")
    token = client.grant(scope="openid email")["access_token"]
    head, body, signature = token.split(".")

    def part(text, **changes):
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return base64.urlsafe_b64encode(json.dumps(value | changes).encode()).decode().rstrip("=")
    other = thief.grant(scope="openid email")["access_token"]
    rows = [f"{head}.{part(body, sub='x')}.{signature}", f"{head}.{body}.{other.split('.')[2]}",
            f"{part(head, alg='none')}.{body}.", f"{head}.{body}.", f"{head}.{body}",
            f"{part(head, alg='HS256')}.{body}.{signature}", f"{token}A", f"{token}.x",
            f"{part(head, kid='x')}.{body}.{signature}",
            f"{part(head, typ='JWT')}.{body}.{signature}"]
    for wrong in rows:
        assert client.userinfo(wrong).status_code == 401, wrong
        assert client.introspect(wrong) == {"active": False}, wrong


def one_login_has_one_sid():
    """O2: ID tokens of a browser share `sid` and `sub`; another browser has another `sid`."""
    user = main().account()
    browser, other = Browser(main(), user).sign_in(), Browser(main(), user).sign_in()
    claims = [main().verified(Client(name).grant(where)["id_token"], name, "JWT")
              for name, where in (("web", browser), ("post", browser), ("web", other))]
    assert claims[0]["sid"] == claims[1]["sid"] != claims[2]["sid"], claims
    assert len({claim["sub"] for claim in claims}) == 1, claims


def an_access_token_has_its_user_and_audience():
    """O1, S3, G7: claims and lifetime; a refusal by userinfo names the scope, and is not stored."""
    client = Client("post")
    tokens = client.grant(scope="openid a:read", resource=API1)
    claims = main().verified(tokens["access_token"], API1)
    assert claims["client_id"] == "post" and claims["sub"] == main().user.id, claims
    assert claims["scope"] == "a:read" and len(claims["jti"]) >= 16, claims
    assert claims["auth_time"] <= claims["iat"] and claims["acr"] == "aal1", claims
    assert claims["exp"] - claims["iat"] == tokens["expires_in"] <= 900, (claims, tokens)
    assert not claims.keys() & {"email", "name", "nonce"}, claims
    answer = client.userinfo(client.grant(scope="email")["access_token"])
    assert 'scope="openid"' in answer.headers["WWW-Authenticate"], answer.headers
    for answer in (answer, main().call("GET", "/oauth/userinfo"), client.userinfo("x")):
        assert "no-store" in answer.headers["Cache-Control"], answer.headers


def unknown_claims_are_omitted():
    """O4: for example the name of a user who has given none."""
    user, client = main().account(None), Client("post")
    tokens = client.grant(Browser(main(), user).sign_in(), scope="openid profile email")
    info = good(client.userinfo(tokens["access_token"]))
    assert info.keys() <= {"sub", "email", "email_verified"}, info
