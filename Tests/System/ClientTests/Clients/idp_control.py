"""The emulated providers for a developer: tokens, accounts, clients, faults, notifications."""

import http.client
import http.server
import json
import re
import threading
import time

from idp_app import APP, acme, apple, done, failed, google, idp, person
from joserfc.errors import BadSignatureError
from joserfc.jwk import OctKey
from judge import case, clock, run


def told(answer, words, status=400):
    """Expects a message for the developer."""
    assert answer.status_code == status, (answer.status_code, answer.text, words)
    assert answer.json()["message"].startswith(words), (answer.text, words)


def text(method, path, body):
    return idp(method, path, data=body, headers={"Content-Type": "application/json"})[0]


def raw(method, target):
    """A request with a target as it is written."""
    connection = http.client.HTTPConnection(APP.removeprefix("http://"))
    connection._validate_path = lambda _: None
    connection._encode_request = lambda request: request.encode("latin-1")
    connection.request(method, target)
    answer = connection.getresponse()
    return answer, answer.read()


@case
def a_method_that_is_not_allowed_gets_the_allowed_ones():
    for method, path, allowed in (
        ("DELETE", "/apple/auth/keys", "GET, HEAD"),
        ("POST", "/apple/.well-known/openid-configuration", "GET, HEAD"),
        ("GET", "/apple/auth/token", "POST"), ("GET", "/google/revoke", "POST"),
        ("PUT", "/google/o/oauth2/v2/auth", "GET, HEAD, POST"), ("GET", "/acme/mint", "POST"),
        ("GET", "/acme/decision", "POST"), ("POST", "/acme/faults", "GET, HEAD, PUT, DELETE"),
        ("GET", "/acme/faults/jwks-500", "DELETE"), ("POST", "/acme/clients", "GET, HEAD"),
        ("POST", "/acme/clients/x", "GET, HEAD, PUT, DELETE"),
        ("DELETE", "/acme/accounts", "GET, HEAD, POST"), ("OPTIONS", "/apple/auth/token", "POST"),
        ("get", "/acme/keys", "GET, HEAD"), ("POST", "/", "GET, HEAD"),
    ):
        answer, body = raw(method, "/_idp" + path)
        assert (answer.status, answer.headers["Allow"]) == (405, allowed), (method, path)
        assert json.loads(body)["message"]


@case
def unknown_paths_are_not_found():
    for path in (
        "/nobody/keys", "/apple", "/apple/", "/apple/userinfo", "/apple/v1/userinfo",
        "/google/auth/keys", "/acme/tokeninfo", "/acme/keys/x", "/Apple/auth/keys",
        "/acme/clients/", "/%61cme%00/keys", "/acme//keys", "/%zz/keys", "/%ff/keys",
    ):
        answer, _ = raw("GET", "/_idp" + path)
        assert answer.status == 404, (path, answer.status)
        assert answer.headers["Content-Type"] == "application/json", path
    assert raw("GET", "/_idp/")[0].status == 200


@case
def the_index_lists_the_issuers_and_their_addresses():
    found = {one["name"]: one["endpoints"] for one in done("GET", "")["issuers"]}
    assert {"apple", "google", "acme", "closed"} == set(found), found
    assert found["google"]["tokenInfo"] == f"{APP}/_idp/google/tokeninfo"
    assert "tokenInfo" not in found["apple"]


@case
def pages_of_any_origin_may_read_public_endpoints():
    origin = "Access-Control-Allow-Origin"
    for path in ("google/oauth2/v3/certs", "google/v1/userinfo"):
        answer, _ = idp("OPTIONS", path)
        assert (answer.status_code, answer.headers[origin]) == (204, "*")
        assert answer.headers["Access-Control-Allow-Methods"].startswith("GET")
    for path in ("acme/mint", "apple/auth/token", "google/revoke"):
        assert origin not in idp("POST", path, {})[0].headers, path
    # For public clients in browsers, also to read why a code is refused.
    for path in ("acme/token", "google/token"):
        answer, _ = idp("POST", path, {})
        assert (answer.status_code, answer.headers[origin]) == (400, "*")


@case
def a_body_that_is_too_large_is_refused():
    assert text("POST", "acme/mint", b" " * (65536 + 1)).status_code == 413


@case
def a_key_set_has_two_keys_and_a_lifetime():
    for path, lifetime in (
        ("apple/auth/keys", "no-cache"), ("acme/keys", "public, max-age=3600"),
        ("google/oauth2/v3/certs", "public, max-age=19800, must-revalidate, no-transform"),
    ):
        answer, found = idp("GET", path)
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Cache-Control"] == lifetime
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert len({key["kid"] for key in found["keys"] if key["kid"]}) == 2, found


@case
def discovery_names_endpoints_that_exist():
    documents = {}
    for provider, keys in (
        ("apple", "/auth/keys"), ("google", "/oauth2/v3/certs"), ("acme", "/keys"),
    ):
        issuer = f"{APP}/_idp/{provider}"
        answer, found = idp("GET", f"{provider}/.well-known/openid-configuration")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert (found["issuer"], found["jwks_uri"]) == (issuer, issuer + keys)
        for name in ("authorization_endpoint", "token_endpoint", "revocation_endpoint"):
            assert raw("GET", found[name].removeprefix(APP))[0].status != 404, found[name]
        documents[provider] = found
    assert "userinfo_endpoint" not in documents["apple"]
    assert documents["apple"]["subject_types_supported"] == ["pairwise"]
    assert documents["apple"]["token_endpoint_auth_methods_supported"] == ["client_secret_post"]
    assert documents["google"]["userinfo_endpoint"].endswith("/v1/userinfo")
    assert documents["google"]["code_challenge_methods_supported"] == ["S256"]


@case
def an_empty_request_mints_a_token_for_the_first_client():
    claims, now = apple.mint(), time.time()
    assert abs(claims["iat"] - now) < 10 and claims["exp"] - claims["iat"] == 86400
    assert (claims["nonce_supported"], claims["email"], claims["email_verified"]) == (
        True, "ada@example.com", "true"), claims
    assert not {"is_private_email", "name"} & set(claims)
    assert re.fullmatch(r"[^.]{6}\.[^.]{32}\.[^.]{4}", claims["sub"]), claims["sub"]
    claims = google.mint()
    assert claims["azp"] == google.client and claims["exp"] - claims["iat"] == 3600
    assert (claims["email"], claims["email_verified"], claims["hd"]) == (
        "ada@example.com", True, "example.com"), claims
    assert (claims["name"], claims["given_name"], claims["family_name"]) == (
        "Ada Lovelace", "Ada", "Lovelace"), claims
    assert re.fullmatch(r"[0-9]{21}", claims["sub"]), claims["sub"]
    answer, found = idp("POST", "acme/mint")
    assert answer.headers["Cache-Control"] == "no-store"
    assert acme.claims(found["idToken"])["name"] == "Ada Lovelace"


@case
def a_token_has_the_requested_claims():
    claims = google.mint(
        "mine", email="alan.turing@gmail.com", sub="42", nonce="n-1", expiresIn=30,
        claims={"hd": None, "locale": "en"})
    assert (claims["sub"], claims["azp"], claims["nonce"], claims["locale"], claims["name"]) == (
        "42", "mine", "n-1", "en", "Alan Turing"), claims
    # Private accounts have no organisation.
    assert claims["exp"] - claims["iat"] == 30 and "hd" not in claims
    claims = apple.mint(claims={"email": None, "email_verified": False, "real_user_status": 2})
    assert "email" not in claims
    assert (claims["email_verified"], claims["real_user_status"]) == (False, 2)
    hidden = [apple.mint(hideEmail=True) for _ in range(2)]
    assert hidden[0]["email"].endswith("@privaterelay.appleid.com")
    assert hidden[0]["email"] == hidden[1]["email"] and hidden[0]["is_private_email"] == "true"
    same, other = (acme.mint(email=email)["sub"] for email in ("bOb@Example.com", "b2@b.example"))
    assert same == acme.mint(email="bob@example.com")["sub"] != other


@case
def apple_knows_a_user_by_another_name_in_every_team():
    for name in ("A", "B", "B2"):
        done("PUT", f"apple/clients/{name}", {"teamId": "TEAM" + name[0]})
    first, second, third = (apple.mint(name, hideEmail=True) for name in ("A", "B", "B2"))
    assert first["sub"] != second["sub"] == third["sub"]
    assert first["email"] != second["email"]
    for name in ("A", "B", "B2"):
        idp("DELETE", f"apple/clients/{name}")


@case
def a_request_for_a_token_that_cannot_be_made_is_explained():
    email = "mint: email is not a valid e-mail address"
    lifetime = "mint: expiresIn must be a whole number"
    for body, words in (
        ("[]", "mint: not an object"), ('{"email":1}', "mint: email must be a string"),
        ('{"email":"nobody"}', email), ('{"email":"a@b@c"}', email), ('{"email":"<b>@c"}', email),
        ('{"mail":"a@b"}', "mint: unknown member; expected email, name, sub"),
        ('{"expiresIn":"1h"}', lifetime), ('{"expiresIn":1e3}', lifetime),
        ('{"expiresIn":99999999}', lifetime),
        ('{"audience":[1]}', "mint: audience must be a string or a list"),
        ('{"audience":"a b"}', "mint: audience must be a client id"),
        ('{"claims":[]}', "mint: claims must be an object"),
        ('{"hideEmail":"yes"}', "mint: hideEmail must be true or false"),
        ('{"nonce":""}', "mint: nonce must be a string of 1"),
        ('{"fault":"nonsense"}', "mint: unknown fault. Token faults: unknown-kid"),
        ('{"fault":["expired","nonsense"]}', "mint: unknown fault"),
        *((body, "The body is not valid JSON") for body in (
            "{", '{"sub":"a","sub":"b"}', "{} {}")),
        ('{"sub":"%s"}' % (256 * "x"), "mint: sub must be at most 255 bytes"),
        ('{"name":"%s"}' % (129 * "x"), "mint: name must be at most 128 bytes"),
    ):
        told(text("POST", "acme/mint", body), words)
    names = [one["name"] for one in done("GET", "acme/faults")["token"]]
    message = idp("POST", "acme/mint", {"fault": "?"})[1]["message"]
    assert len(names) > 30 and all(name in message for name in names), message


@case
def accounts_are_made_with_a_subject_and_refused_without_an_address():
    me, sub = person(), str(time.time_ns())
    answer, found = idp("POST", "google/accounts", {
        "email": me, "name": "Bob B.", "sub": sub, "emailVerified": False})
    assert (answer.status_code, found["sub"]) == (201, sub), found
    claims = google.mint(email=me.upper())
    assert (claims["sub"], claims["email_verified"], claims["name"]) == (sub, False, "Bob B.")
    for body in ("{}", '{"email":"x"}', '{"email":"a@b","name":1}', "[]", "x"):
        assert text("POST", "acme/accounts", body).status_code == 400, body


@case
def a_client_is_registered_shown_and_deleted():
    addresses = ["http://127.0.0.1:3000/cb", "com.example:/cb"]
    done("PUT", "acme/clients/web%2Eapp", {
        "redirectURIs": addresses, "secret": "s", "notificationURL": "https://a.example/n"})
    one = done("GET", "acme/clients/web.app")
    assert (one["id"], one["redirectURIs"]) == ("web.app", addresses), one
    listed = [one["id"] for one in done("GET", "acme/clients")["clients"]]
    assert listed == ["acme-client", "web.app"], listed
    assert idp("DELETE", "acme/clients/web.app")[0].status_code == 204
    assert idp("GET", "acme/clients/web.app")[0].status_code == 404
    # It also replaces a configured one.
    done("PUT", "acme/clients/acme-client", {"secret": "other"})
    try:
        code = acme.code()
        failed(acme.redeem(code), 401, "invalid_client")
        assert acme.redeem(code, client_secret="other").status_code == 200
        assert len(done("GET", "acme/clients")["clients"]) == 1
    finally:
        done("PUT", "acme/clients/acme-client", acme_client)


acme_client = done("GET", "acme/clients/acme-client")


@case
def an_invalid_client_is_not_registered():
    secret = OctKey.generate_key(256).as_dict(private=True)
    keys = [{}, {"keyId": "K"}, {"keyId": "K", "pem": "no"}, {"keyId": "K", "jwk": {"kty": "EC"}}]
    keys.append({"keyId": "K", "jwk": {"kty": "oct", "k": secret["k"]}})
    for name, body in (
        *(("x", body) for body in (
            {"id": "y"}, {"redirectURIs": ["javascript:x"]}, {"redirectURIs": [1]}, {"secret": 1},
            {"secret": ""}, {"notificationURL": "ftp://a"}, {"publicKeys": {}}, {"unknown": 1},
            [], *({"publicKeys": [key]} for key in keys))),
        ("a%20b", {}), ("a%2Fb", {}), (256 * "x", {}),
    ):
        told(idp("PUT", f"acme/clients/{name}", body)[0], "")
    assert len(done("GET", "acme/clients")["clients"]) == 1


@case
def faults_end_by_their_count_or_one_by_one():
    def status(path="acme/keys"):
        return idp("GET", path)[0].status_code

    done("PUT", "acme/faults", {"name": "jwks-500", "count": 2})
    assert [status() for _ in range(4)] == [500, 500, 200, 200]
    done("PUT", "acme/faults", [{"name": "jwks-500"}, {"name": "discovery-500"}])
    assert status() == 500
    left = done("DELETE", "acme/faults/jwks-500")["on"]
    assert [one["name"] for one in left] == ["discovery-500"], left
    assert status() == 200 and status("acme/.well-known/openid-configuration") == 500
    assert done("DELETE", "acme/faults")["on"] == []


@case
def an_invalid_fault_is_explained_and_none_begins():
    for body, words in (
        ('{"name":"nonsense"}', "Unknown fault. Faults: discovery-500"),
        ("{}", "fault: name is missing"), ("", "fault: name is missing"),
        ('{"name":null}', "fault: name is missing"),
        ('{"name":"jwks-500","count":0}', "fault: count must be a whole number from 1"),
        ('{"name":"jwks-500","count":"2"}', "fault: count must be a whole number"),
        ('{"name":"jwks-slow","delayMilliseconds":600001}', "fault: delayMilliseconds must be"),
        ('{"fault":"jwks-500"}', "fault: unknown member; expected name, count, delayMilliseconds"),
        ('[{"name":"jwks-500"},{"name":"x"}]', "Unknown fault"),
        ('"jwks-500"', "fault: not an object"),
    ):
        told(text("PUT", "google/faults", body), words)
        assert done("GET", "google/faults")["on"] == []
    assert idp("DELETE", "google/faults/x")[0].status_code == 400
    faults = done("GET", "apple/faults")
    for group in ("endpoint", "token", "notification"):
        names = {one["name"] for one in faults[group]}
        assert len(names) == len(faults[group]) > 0
        assert all(one["says"].endswith(".") for one in faults[group])
    assert "notification" not in done("GET", "google/faults")


class Receiver:
    """An app that gets Apple's notifications."""

    def __init__(self):
        received = self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                received.append(json.loads(self.rfile.read(size)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/notifications"

    def get(self, **body):
        """The answer to the request for a notification, and what the app then got."""
        answer, count = done("POST", "apple/notify", {"url": self.url, **body}), len(self.received)
        assert answer["delivered"] is True and answer["status"] == 200, answer
        assert list(self.received[-1]) == ["payload"], self.received[-1]
        return answer, self.received[count - 1]["payload"]


receiver = Receiver()


@case
def nothing_is_repeated_before_the_first_notification():
    told(idp("POST", "apple/notify", {"url": receiver.url, "fault": "replayed-jti"})[0], "", 409)
    assert receiver.received == []


@case
def the_app_gets_notifications_that_apple_signed():
    for kind in (
        "consent-revoked", "account-delete", "account-deleted", "email-disabled", "email-enabled",
    ):
        answer, payload = receiver.get(type=kind)
        claims = apple.claims(payload)
        event = json.loads(claims["events"])
        assert claims["jti"] == answer["jti"] and abs(claims["iat"] - time.time()) < 10
        assert event["type"] == kind and event["event_time"] // 1000 == claims["iat"]
        assert event["sub"] == apple.mint()["sub"]
        for name in ("email", "is_private_email"):
            assert (name in event) is kind.startswith("email-"), event
    event = json.loads(apple.claims(
        receiver.get(sub="001.x.1", clientId=apple.client)[1])["events"])
    assert event["sub"] == "001.x.1"


@case
def only_a_revoked_consent_ends_tokens():
    me = person()
    tokens = apple.tokens(me)
    receiver.get(type="email-disabled", email=me)
    assert apple.refresh(tokens["refresh_token"]).status_code == 200
    receiver.get(type="consent-revoked", email=me)
    failed(apple.refresh(tokens["refresh_token"]), 400, "invalid_grant")
    assert "user" in apple.approve(me)


@case
def notifications_can_have_faults():
    _, forged = receiver.get(fault="wrong-signature")
    try:
        apple.claims(forged)
        raise AssertionError("a wrong signature was accepted")
    except BadSignatureError:
        pass
    _, first = receiver.get()
    clock({"seconds": 3})
    try:
        _, again = receiver.get(fault="replayed-jti")
    finally:
        clock({"reset": True})
    assert apple.claims(first)["jti"] == apple.claims(again)["jti"] and first != again
    _, unknown = receiver.get(fault="unknown-type")
    assert json.loads(apple.claims(unknown)["events"])["type"] == "something-new"


@case
def an_invalid_notification_is_not_sent():
    before = len(receiver.received)
    url = "notify: url must be an http or https URL"
    for body, words in (
        ("{}", "notify: give url, or register"), ('{"type":"x"}', "notify: type must be one of"),
        ('{"url":"file:///etc/passwd"}', url), ('{"url":"http://a@b/"}', url),
        ('{"url":"http://b/","fault":"expired"}', "notify: unknown fault. Notification faults"),
        ('{"email":"x"}', "notify: email is not a valid"), ("[]", "notify: not an object"),
        ('{"to":"x"}', "notify: unknown member; expected type, email"),
    ):
        told(text("POST", "apple/notify", body), words)
    assert idp("POST", "google/notify")[0].status_code == 404
    assert len(receiver.received) == before


run()
