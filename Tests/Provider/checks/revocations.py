"""The revocation list (`REVOCATIONS`), and a server that polls it."""

import functools
import pathlib
import re
import time
import urllib.parse

import jwt
import server
from browser import Browser
from client import Client, each, shown
from server import of_one_process
from settings import API1, AUDIENCE, CLIENTS, PASSWORD, resources

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs/revocations.md"
BOUND = 5


@functools.cache
def _here():
    return server.Server("/id", {
        "REVOCATIONS": "on", "OAUTH": "on", "RATE_LIMITS": "off", "REFRESH_GRACE_SECONDS": "0",
    }, {"OAUTH_CLIENTS": CLIENTS, "OAUTH_RESOURCES": resources("http://127.0.0.1:9/mcp")})


def _program(audience):
    """Runs the server of the document: does it accept a token?"""
    text, = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    text, found = re.subn(
        r"ISSUER, AUDIENCE = .*", f"ISSUER, AUDIENCE = {_here().issuer!r}, {audience!r}", text)
    assert found == 1
    names = {}
    exec(text, names)

    def accepts(token):
        try:
            return bool(names["user"](f"Bearer {token}"))
        except jwt.InvalidTokenError:
            return False
    return accepts


def _get(since=None, tag=None):
    query = f"?since={since}" if since is not None else ""
    headers = {"If-None-Match": tag} if tag else {}
    return _here().call("GET", "/oauth/revocations" + query, headers=headers)


def _list(since=None):
    answer = _get(since)
    assert answer.status_code == 200, shown(answer)
    return _read(answer.text)


def _read(text):
    claims = jwt.decode(text, _here().key(text), ["ES256"], issuer=_here().issuer, options={
        "require": ["iss", "iat", "exp"], "verify_aud": False})
    assert jwt.get_unverified_header(text)["typ"] == "revocations+jwt"
    assert claims["complete"] is True, claims
    return claims


def _person():
    user = _here().account()
    user.accesses = [user.tokens["accessToken"]]
    return user


def _signed_in(user):
    """Another session of the user."""
    answer = _here().call("POST", "/auth/login", json={"email": user.email, "password": PASSWORD})
    assert answer.ok, shown(answer)
    return answer.json()


def _own_causes():
    """The ways in which a person's first session can end, by name."""
    here = _here()

    def sign_out(scope):
        return lambda user: here.call("POST", "/auth/signout", json={
            "refreshToken": user.tokens["refreshToken"], "scope": scope})

    def others(user):
        return here.call("POST", "/auth/signout", json={
            "refreshToken": _signed_in(user)["refreshToken"], "scope": "others"})

    def session(user):
        return jwt.decode(user.accesses[0], options={"verify_signature": False})["sid"]

    def from_list(user):
        return here.call("DELETE", f"/auth/sessions/{session(user)}",
                         token=_signed_in(user)["accessToken"])

    def one(user):
        return here.administer("DELETE", f"/auth/users/{user.id}/sessions/{session(user)}")

    def reuse(user):
        for status in (200, 401):
            answer = here.call(
                "POST", "/auth/refresh", json={"refreshToken": user.tokens["refreshToken"]})
            assert answer.status_code == status, shown(answer)

    def own(method, path, **body):
        return lambda user: here.call(
            method, path, token=user.tokens["accessToken"], json=body or None)

    def administer(action):
        return lambda user: here.administer("POST", f"/auth/users/{user.id}/{action}")

    def reset(user):
        here.call("POST", "/auth/forgot-password", json={"email": user.email})
        token = here.mailed(user.email, r"reset-password\S*token=([\w-]{40,})")
        return here.call("POST", "/auth/reset-password", json={
            "token": token, "newPassword": PASSWORD + "x"})

    return {
        "sign-out": sign_out("session"), "everywhere": sign_out("all"), "others": others,
        "list": from_list, "reuse": reuse, "reset": reset, "disable": administer("disable"),
        "administrator": administer("signout"), "one": one,
        "password": own("POST", "/auth/change-password", currentPassword=PASSWORD,
                        newPassword=PASSWORD + "x"),
        "delete": own("DELETE", "/auth/account")}


def _refused_soon(accepts, tokens, since):
    """The names of the tokens that are still accepted when the time is over."""
    left = dict(tokens)
    while left and time.monotonic() < since + BOUND:
        left = {name: token for name, token in left.items() if accepts(token)}
        time.sleep(0.1)
    assert not left, f"still accepted after {BOUND} s: {', '.join(left)}"


def a_polling_server_notices_every_end():
    """Y1: by sign-out, list, reuse, reset, administrators or deletion, within five seconds."""
    accepts, kept = _program(AUDIENCE), _person()
    causes = {name: (_person(), act) for name, act in _own_causes().items()}
    each([(name, user) for name, (user, _) in causes.items()],
         lambda _, user: _is(accepts(user.accesses[0]), True))
    for name, (user, act) in causes.items():
        answer = act(user)
        assert answer is None or answer.ok, (name, shown(answer))
    began = time.monotonic()
    _refused_soon(
        accepts, {name: user.accesses[0] for name, (user, _) in causes.items()}, began)
    # Nobody else is refused, nor is a session that has begun since.
    assert accepts(kept.accesses[0])
    user, _ = causes["password"]
    answer = _here().call("POST", "/auth/login", json={
        "email": user.email, "password": PASSWORD + "x"})
    assert accepts(answer.json()["accessToken"])


def the_end_of_a_grant_is_listed():
    """Y1, B29: caused by its client, its user, the browser's sign-out, or administrators."""
    here, accepts = _here(), _program(API1)

    def grant(client, user, offline=True):
        browser = Browser(here, user).sign_in()
        scope = "openid a:read" + (" offline_access" if offline else "")
        return client.grant(browser, scope=scope, resource=API1), browser

    def leave(browser):
        cookie = next(value for name, value in browser.session.cookies.items()
                      if name in ("latchkey", "__Host-latchkey"))
        return here.call("POST", "/auth/signout", json={
            "refreshToken": urllib.parse.unquote(cookie).split("~")[0]})

    client, user = Client("post", here), here.account()
    kept, left = grant(client, user)
    online, browser = grant(client, user, offline=False)
    revoked, _ = grant(client, user)
    removed, _ = grant(client, here.account())
    person = here.account()
    everywhere, _ = grant(client, person)
    def partner():
        answer = here.administer("POST", "/auth/clients", **{
            "client_name": "Partner", "redirect_uris": ["https://partner.example.com/cb"],
            "grant_types": ["authorization_code", "refresh_token"]})
        assert answer.status_code == 201, shown(answer)
        return Client({"token_endpoint_auth_method": "client_secret_basic"} | answer.json(), here)

    added, emptied, known = partner(), partner(), Client("desk", here)
    (disabled, _), (ended, _), (desk, _) = (grant(one, user) for one in (added, emptied, known))
    tokens = {"online": online, "revoked": revoked, "removed": removed, "everywhere": everywhere,
              "disabled": disabled, "ended": ended, "desk": desk}
    each([(name, one) for name, one in (tokens | {"kept": kept}).items()],
         lambda _, one: _is(accepts(one["access_token"]), True))
    owner = here.verified(removed["access_token"], API1)["sub"]
    for act in (
            lambda: leave(browser), lambda: leave(left),
            lambda: client.revoke(revoked["refresh_token"]),
            lambda: here.administer(
                "POST", f"/auth/users/{owner}/remove-application", application="post"),
            lambda: here.administer("POST", f"/auth/users/{person.id}/signout"),
            lambda: here.administer("POST", f"/auth/clients/{emptied.id}/end-grants"),
            lambda: here.administer("POST", "/auth/clients/desk/end-grants"),
            lambda: here.administer("POST", f"/auth/clients/{added.id}/disable")):
        answer = act()
        assert answer.ok, shown(answer)
    _refused_soon(accepts, {name: one["access_token"] for name, one in tokens.items()},
                  time.monotonic())
    # The token of an offline grant remains valid after the browser's sign-out.
    assert accepts(kept["access_token"])


def a_list_can_be_cached():
    """Y2: for at most five seconds, with an ETag that changes with the content, and 304 without a
    body."""
    here = _here()
    assert here.metadata["revocations_uri"] == here.issuer + "/oauth/revocations"
    first = _get()
    age = re.fullmatch(r"public, max-age=(\d)", first.headers["Cache-Control"])
    assert int(age[1]) <= 5 and first.headers["ETag"], first.headers
    assert first.headers["Content-Type"] == "application/revocations+jwt", first.headers
    assert first.headers["Access-Control-Allow-Origin"] == "*", first.headers
    claims = _read(first.text)
    assert 0 < claims["exp"] - claims["iat"] <= 120, claims
    again = _get(tag=f'"another", {first.headers["ETag"]}')
    # A step of time may have begun in between.
    if again.headers["ETag"] == first.headers["ETag"]:
        assert again.status_code == 304 and not again.content, shown(again)
    user = _person()
    here.call("POST", "/auth/signout", json={"refreshToken": user.tokens["refreshToken"]})
    time.sleep(1.1)
    changed = _get(tag=first.headers["ETag"])
    assert changed.status_code == 200, shown(changed)
    sid = jwt.decode(user.accesses[0], options={"verify_signature": False})["sid"]
    assert sid in _read(changed.text)["ended"]


def a_list_since_a_time_has_later_entries():
    """Y3: rounded down to ten seconds; an invalid number is refused."""
    whole = _list()
    assert "since" not in whole, whole
    since = _list(whole["iat"] - 30)
    assert since["since"] <= whole["iat"] - 30 and since["since"] % 10 == 0, since
    assert set(since["ended"]) <= set(_list()["ended"])
    assert "since" not in _list(0) and _list(2 ** 60)["since"] <= time.time()
    each([("x",), ("-1",), ("1.5",)], lambda text: _is(_get(text).status_code, 400))


@of_one_process
def without_the_setting_there_is_no_list():
    """Y4: no route, no metadata, and tokens without the list's claims."""
    here = server.off()
    assert here.call("GET", "/oauth/revocations").status_code == 404
    assert "revocations_uri" not in here.metadata
    token = server.bare().account().tokens["accessToken"]
    assert "latchkey_ends_with" not in jwt.decode(token, options={"verify_signature": False})


def _is(found, wanted):
    assert found == wanted, (found, wanted)
