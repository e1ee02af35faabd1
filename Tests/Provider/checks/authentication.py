"""Authentication of clients."""

import json
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import server
from client import ASSERTION, Client, at_once, basic, compact, each, pairs, refused
from server import main
from settings import API1, KEYS

CODE = {"grant_type": "authorization_code", "code": "x", "code_verifier": "x" * 43,
        "redirect_uri": "https://web.example.com/cb"}


def _ask(headers=None, query="", **fields):
    return main().call("POST", f"/oauth/token{query}", headers=headers or {},
                       data=pairs(CODE | fields))


def only_the_registered_method_works():
    """B36, C1, C3, C4, C5, C7, G4: another method, a second method, or a secret in the URL is
    refused."""
    web, post = Client("web"), Client("post")
    right, body = web.authentication()[0], {"client_id": "web", "client_secret": web.secret}
    lower = {"Authorization": right["Authorization"].replace("Basic", "bASIC")}
    each([
        ("right", right, {}, None), ("lower case", lower, {}, None), ("post", {},
         {"client_id": "post", "client_secret": post.secret}, None),
        ("public", {}, {"client_id": "cli"}, None), ("same id", right, {"client_id": "web"}, None),
        ("wrong secret", basic("web", "x"), {}, "invalid_client"),
        ("empty secret", basic("web", ""), {}, "invalid_client"),
        ("basic as post", {}, body, "invalid_client"),
        ("confidential as public", {}, {"client_id": "web"}, "invalid_client"),
        ("post as basic", basic("post", post.secret), {}, "invalid_client"),
        ("wrong post", {}, {"client_id": "post", "client_secret": "x"}, "invalid_client"),
        ("public with secret", {}, {"client_id": "cli", "client_secret": "x"}, "invalid_client"),
        ("public as basic", basic("cli", "x"), {}, "invalid_client"),
        ("keyed as public", {}, {"client_id": "keyed"}, "invalid_client"),
        ("unknown", basic("nobody", "x"), {}, "invalid_client"),
        ("unknown public", {}, {"client_id": "nobody"}, "invalid_client"),
        ("two methods", right, body, "invalid_request"),
        ("two secrets", {}, {"client_id": "post", "client_secret": [post.secret, post.secret]},
         "invalid_request"),
        ("two ids", {}, {"client_id": ["cli", "cli"]}, "invalid_request"),
        *((text, {"Authorization": text}, {}, "invalid_client") for text in (
            "Basic", "Basic ", "Basic ###", "Basic d2Vi", "Bearer " + web.secret, "Digest x")),
    ], lambda _, headers, fields, error: refused(
        _ask(headers, **fields), error or "invalid_grant",
        status=401 if error == "invalid_client" else 400))
    assert _ask().status_code in (400, 401)
    query = urllib.parse.urlencode({"client_secret": post.secret})
    refused(_ask(query="?" + query, client_id="post"), "invalid_client", status=401)
    # Parameters without a value count as omitted (G4).
    refused(_ask(client_id="cli", client_secret="", client_assertion=""), "invalid_grant")
    for wrong in (basic("web", "x"), {"Authorization": "Basic ###"}):
        answer = _ask(wrong)
        assert answer.headers["WWW-Authenticate"].startswith("Basic"), answer.headers
    answer = _ask(basic("web", "x"))
    assert _ask(basic("nobody", "x")).text == answer.text


def basic_credentials_are_form_encoded():
    """B37, C3: id and secret are form-urlencoded before base64, and decoded strictly."""
    shop = Client("shop")
    refused(_ask(basic(shop.id, shop.secret)), "invalid_grant")
    refused(_ask(basic(shop.id, shop.secret, urllib.parse.quote)), "invalid_grant")
    refused(_ask(basic(shop.id, shop.secret, lambda text: text)), "invalid_client", status=401)
    refused(_ask(basic(shop.id, shop.secret.replace("+", " "))), "invalid_client", status=401)
    refused(_ask(basic(shop.id, shop.secret + "%")), "invalid_client", status=401)
    assert shop.grant()["access_token"]


def only_the_registered_grants_work():
    """B20, C8, C9: a client's `grant_types` bind it."""
    once, web = Client("once"), Client("web")
    assert "refresh_token" not in once.grant(scope="openid offline_access")
    refused(once.refresh(web.grant()["refresh_token"]), "unauthorized_client", "invalid_grant")
    refused(Client("rs1").token(**CODE), "unauthorized_client")
    for name in ("web", "cli", "rs1"):
        refused(Client(name).own(resource=API1), "unauthorized_client")
    for kind in ("password", "implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer", "x"):
        refused(web.token(grant_type=kind, username="x", password="x"), "unsupported_grant_type")
    refused(web.token(), "invalid_request")
    refused(web.token(grant_type=["refresh_token", "refresh_token"]), "invalid_request")


def the_log_has_the_cause_and_no_secret():
    """The log's line of a refused client has the cause and its ID, and no secret in its place."""
    web, here = Client("web"), main()

    def check(fields, reason, client, headers=None):
        before = len(here.log)
        refused(_ask(headers, **fields), "invalid_client", status=401)
        line = json.loads(here.logged('"reason":"oauth.invalidClient', after=before)[0])
        assert line["reason"].endswith("." + reason) and line.get("client") == client, line
    each([
        ({}, "wrongSecret", "web", basic("web", "x")), ({"client_id": "web"}, "noSecret", "web"),
        ({"client_id": "web", "client_secret": web.secret}, "otherMethod", "web"),
        ({"client_id": "wbe"}, "unknown", "wbe"), ({"client_id": "a@b.example"}, "unknown", None),
        ({"client_id": web.secret, "client_secret": "web"}, "unknown", None),
        ({}, "unnamed", None),
    ], check)
    assert not [line for line in here.log if web.secret in line]


def assertions_are_verified_strictly():
    """B33, B34, B35, C6: audience, times, `jti`, keys and algorithms of `private_key_jwt`."""
    client, now, here = Client("keyed"), int(time.time()), main()
    token = here.issuer + "/oauth/token"
    public = KEYS["RS256"].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(client.assertion(), options={"verify_signature": False})
    other = Client("web")
    secret = jwt.get_algorithm_by_name("HS256")
    signed = compact({"alg": "HS256"}, claims).rstrip(".")
    confused = compact({"alg": "HS256"}, claims, secret.sign(signed.encode(), public))
    used = client.assertion()
    each([
        (client.assertion(), True), (client.assertion(algorithm="RS256"), True), (used, True),
        (used, False), (client.assertion(header={"kid": "RS256"}), False),
        (client.assertion(aud=token), True),
        (client.assertion(aud=[here.issuer, "https://other.example"]), False),
        (client.assertion(aud="https://other.example"), False), (client.assertion(aud=None), False),
        (client.assertion(aud=here.issuer + "/"), False), (client.assertion(iss="web"), False),
        (client.assertion(sub="web"), False), (client.assertion(iss=None), False),
        (client.assertion(exp=None), False), (client.assertion(exp=now - 120), False),
        (client.assertion(exp=now + 86_400), False), (client.assertion(jti=None), False),
        (client.assertion(nbf=now + 3_600), False), (client.assertion("x" * 64, "HS256"), False),
        (client.assertion(ec.generate_private_key(ec.SECP256R1())), False),
        (compact({"alg": "none"}, claims | {"jti": "n"}), False), (confused, False),
        (client.assertion()[:-8], False), ("x", False), ("a.b.c", False),
    ], lambda text, works: refused(
        _ask(client_assertion_type=ASSERTION, client_assertion=text),
        *(["invalid_grant"] if works else ["invalid_client", "invalid_request"]),
        status=400 if works else 401))
    fields = {"client_assertion_type": ASSERTION}
    refused(_ask(**fields, client_assertion=client.assertion(), client_id="keyed"), "invalid_grant")
    refused(_ask(other.authentication()[0], **fields, client_assertion=client.assertion()),
            "invalid_request")
    for wrong in ({"client_id": "web"}, {"client_assertion_type": "x"}):
        answer = _ask(**fields | wrong | {"client_assertion": client.assertion()})
        assert answer.json()["error"] in ("invalid_client", "invalid_request"), answer.text


def guesses_of_one_secret_are_limited():
    """B41, C4: 150 wrong secrets in a minute, then 429 for that client; dead tokens are 400."""
    here = server.bare()
    web, once = Client("web", here), Client("once", here)
    tokens = web.grant()
    assert web.revoke(tokens["refresh_token"]).status_code == 200
    for _ in range(150):
        refused(web.refresh(tokens["refresh_token"]), "invalid_grant")
    once.secret = "wrong"
    seen = [once.token(**CODE).status_code for _ in range(320)]
    first = seen.index(429)
    assert set(seen[:first]) == {401} and first <= 300, (first, set(seen))
    refused(web.refresh(tokens["refresh_token"]), "invalid_grant")
    assert web.grant()["access_token"]


def an_assertion_is_used_once():
    """B33, C6: of 16 parallel uses only one succeeds, and none at another endpoint."""
    client = Client("keyed")
    tokens = client.grant()
    fields = {"client_assertion_type": ASSERTION, "client_assertion": client.assertion()}
    answers = at_once(lambda _: _ask(**fields), range(16))
    assert sorted(answer.status_code for answer in answers) == [400] + [401] * 15
    for path in ("revoke", "introspect"):
        refused(main().call("POST", f"/oauth/{path}", data=fields | {
            "token": tokens["refresh_token"]}), "invalid_client", status=401)
    assert client.is_alive(tokens)
