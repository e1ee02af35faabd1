"""Refresh."""

import server
from browser import Browser
from client import Client, at_once, each, good, refused, shown
from server import main, of_one_process
from settings import API1, API2, PASSWORD


def parallel_and_late_retries_get_one_successor():
    """B3, B44, F4, F5: 16 parallel refreshes and a retry get one successor, which lives."""
    for client in (Client("web"), Client("cli")):
        tokens = client.grant()
        answers = at_once(lambda _: client.refresh(tokens["refresh_token"]), range(16))
        found = {good(answer)["refresh_token"] for answer in answers}
        found.add(good(client.refresh(tokens["refresh_token"]))["refresh_token"])
        assert len(found) == 1 and tokens["refresh_token"] not in found, found
        assert good(client.refresh(found.pop()))["access_token"]


def a_revocation_takes_precedence_over_parallel_refreshes():
    """F5, V4: tokens of a parallel refresh are dead once the revocation was answered."""
    client = Client("web")
    for _ in range(4):
        token = client.grant()["refresh_token"]
        answers = at_once(lambda ask, token=token: ask(token), [
            client.refresh, client.refresh, client.revoke, client.refresh, client.refresh])
        for answer in answers:
            if answer.content.startswith(b'{"access_token"'):
                assert not client.is_alive(answer.json())


def reuse_ends_the_grant():
    """F2, F3: a replaced refresh token ends its grant, and no other."""
    here = server.bare()
    for name in ("web", "cli"):
        client = Client(name, here)
        first, other = client.grant(), client.grant()
        second = good(client.refresh(first["refresh_token"]))
        third = good(client.refresh(second["refresh_token"]))
        refused(client.refresh(first["refresh_token"]), "invalid_grant")
        refused(client.refresh(third["refresh_token"]), "invalid_grant")
        # The audience is the default resource.
        assert Client("rs1", here).introspect(third["access_token"]) == {"active": False}
        assert client.is_alive(other)


def a_refresh_token_is_bound_to_its_client():
    """B1, F1, F9: another client is refused, and the grant lives."""
    owner = Client("post")
    tokens = owner.grant()
    for name in ("web", "cli", "keyed", "own"):
        refused(Client(name).refresh(tokens["refresh_token"]), "invalid_grant")
    text = tokens["refresh_token"]
    for wrong in (text[:-4], text + "AAAA", "lko_", "x", "é", "x" * 5000, tokens["access_token"]):
        refused(owner.refresh(wrong), "invalid_grant")
    refused(owner.refresh(None), "invalid_request")
    assert owner.is_alive(tokens)


def scope_and_resource_never_grow():
    """B39, F1: a wrong scope or resource uses nothing up; a narrower one applies to one token."""
    client = Client("post")
    tokens = client.grant(scope="openid a:read", resource=API1)
    for changes, error in (({"scope": "openid a:read a:write"}, "invalid_scope"),
                           ({"scope": "nonsense"}, "invalid_scope"),
                           ({"resource": API2}, "invalid_target"),
                           ({"resource": "x"}, "invalid_target")):
        refused(client.refresh(tokens["refresh_token"], **changes), error)
    narrow = good(client.refresh(tokens["refresh_token"], scope="a:read", resource=API1))
    assert narrow["scope"] == "a:read", narrow
    assert main().verified(narrow["access_token"], API1)["scope"] == "a:read"
    whole = good(client.refresh(narrow["refresh_token"], resource=API1))
    assert "a:read" in whole["scope"].split() and whole["id_token"], whole
    issuer = good(client.refresh(whole["refresh_token"], resource=main().issuer))
    assert client.userinfo(issuer["access_token"]).ok, issuer


def an_id_token_of_a_refresh_has_the_same_sign_in():
    """B56, F7: same subject and `auth_time`, own `jti` and `at_hash`, no nonce."""
    client = Client("web")
    before = client.grant(nonce="n", max_age="100000")
    after = good(client.refresh(before["refresh_token"]))
    assert before["access_token"] != after["access_token"]
    one, two = (main().verified(tokens["id_token"], client.id, "JWT") for tokens in (before, after))
    for name in ("iss", "sub", "aud", "auth_time"):
        assert one[name] == two[name], name
    assert one["nonce"] == "n" and "nonce" not in two, two
    assert one["at_hash"] != two["at_hash"] and two["iat"] >= one["iat"], (one, two)
    assert main().verified(after["access_token"], main().issuer)["jti"] != main().verified(
        before["access_token"], main().issuer)["jti"]


def sign_outs_and_changes_of_the_account_end_grants():
    """B42, B61, F8, K5, T1: signing out, here or everywhere; a new password, an administrator, or a
    deletion."""
    client, here = Client("web"), main()

    def sign_out(scope):
        return lambda user, *_: here.call("POST", "/auth/signout", json={
            "refreshToken": user.tokens["refreshToken"], "scope": scope})

    def leave(_, browser, __):
        page = browser.open("/auth/ui/account")
        form = next(form for form in page.forms if "signout" in form["action"])
        browser.submit(page, form)

    def own(method, path, **body):
        return lambda user, _, sid: here.call(
            method, path.format(sid), token=user.tokens["accessToken"], json=body)

    def check(_, act, *expected):
        user = here.account()
        browser = Browser(here, user).sign_in()
        grants = [client.grant(browser),
                  client.grant(browser, scope="openid offline_access"),
                  client.grant(Browser(here, user).sign_in())]
        request, code = client.code(browser)
        sid = here.verified(grants[0]["id_token"], client.id, "JWT")["sid"]
        answer = act(user, browser, sid)
        assert answer is None or answer.ok, shown(answer)
        refused(client.redeem(request, code), "invalid_grant")
        alive = tuple(client.is_alive(tokens) for tokens in grants)
        assert alive == expected, alive
        assert client.introspect(grants[0]["access_token"]) == {"active": False}
        assert client.userinfo(grants[0]["access_token"]).status_code == 401
    each([
        # What happens; does a grant live: of this browser, offline, of another browser?
        ("page", leave, False, True, True), ("all", sign_out("all"), False, False, False),
        ("list", own("DELETE", "/auth/sessions/{}"), False, True, True),
        ("others", sign_out("others"), False, True, False),
        ("password", own("POST", "/auth/change-password", currentPassword=PASSWORD,
                         newPassword=PASSWORD + "x"), False, False, False),
        ("disable", lambda user, *_: here.administer(
            "POST", f"/auth/users/{user.id}/disable"), False, False, False),
        ("sign out", lambda user, *_: here.administer(
            "POST", f"/auth/users/{user.id}/signout"), False, False, False),
        ("delete", own("DELETE", "/auth/account"), False, False, False),
    ], check)


def grants_are_not_sessions_of_the_user():
    """F8: a grant is not listed as a device, and its end does not end a session."""
    client, here, user = Client("web"), main(), main().account()
    browser = Browser(here, user).sign_in()
    token = user.tokens["accessToken"]
    before = here.call("GET", "/auth/sessions", token=token).json()
    tokens = [client.grant(browser) for _ in range(12)]
    after = here.call("GET", "/auth/sessions", token=token).json()
    assert len(after["sessions"]) == len(before["sessions"]) == 2, after
    client.revoke(tokens[0]["refresh_token"])
    assert here.call("GET", "/auth/me", token=token).ok
    assert user.email in browser.open("/auth/ui/account").text
    assert client.is_alive(tokens[11]) and not client.is_alive(tokens[0])


@of_one_process
def a_grant_expires_without_use():
    """F6: it lives on for 30 days after its last use, and for a year in all."""
    here, client = main(), Client("web")
    day, scope = 86_400, "openid offline_access"
    user = here.account()
    tokens = client.grant(Browser(here, user).sign_in(), scope=scope)
    here.age(f"USER#{user.id}", 29 * day)
    assert client.is_alive(tokens)
    here.age(f"USER#{user.id}", 31 * day)
    assert not client.is_alive(tokens)
    user = here.account()
    tokens = client.grant(Browser(here, user).sign_in(), scope=scope)
    for _ in range(14):
        here.age(f"USER#{user.id}", 26 * day)
        assert client.is_alive(tokens)
    here.age(f"USER#{user.id}", 2 * day)
    assert not client.is_alive(tokens)
