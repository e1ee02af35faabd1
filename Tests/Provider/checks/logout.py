"""Signing out by clients (OpenID Connect RP-Initiated Logout), and what they are told of the end of
a session (Back-Channel Logout)."""

import time
import urllib.parse

import jwt
import logout_receiver
import server
from browser import Browser
from client import Client, at_once, compact, each, good, shown, signed_in
from server import main, of_one_process
from settings import PASSWORD, RECEIVER, secret

EVENT = "http://schemas.openid.net/event/backchannel-logout"


def _address(here=None, /, **parameters):
    return (here or main()).issuer + "/oauth/logout?" + urllib.parse.urlencode(parameters)


def _is_in(browser):
    """Whether somebody is signed in."""
    return browser.user.email in browser.open("/auth/ui/account").text


def _person(here=None):
    here = here or main()
    user = here.account()
    return user, Browser(here, user).sign_in()


def _bye(client):
    return client.members["post_logout_redirect_uris"][0]


def a_client_signs_its_own_session_out():
    """B59, L1, L3, L4, L5: with the ID token nobody is asked; state comes back; repeating it is
    accepted."""
    client = Client("told")
    for method in ("GET", "POST"):
        for more in ({}, {"client_id": client.id}, {"state": "a b&c=é"}):
            _, browser = _person()
            sent = {"id_token_hint": client.grant(browser)["id_token"],
                    "post_logout_redirect_uri": _bye(client)} | more
            for _ in range(2):
                page = (browser.open(_address(**sent)) if method == "GET" else
                        browser.open("/oauth/logout", "POST", data=sent))
                assert page.status in (302, 303) and page.left, page
                assert page.left.split("?")[0] == _bye(client), page
                assert page.answer == ({"state": more["state"]} if "state" in more else {}), page
            assert not _is_in(browser), (method, more)
    # With a query of the address's own, and without an address.
    _, browser = _person()
    hint = client.grant(browser)["id_token"]
    page = browser.open(_address(
        id_token_hint=hint, post_logout_redirect_uri=_bye(client) + "?tenant=1", state="s"))
    assert page.answer == {"tenant": "1", "state": "s"}, page
    page = browser.open(_address(id_token_hint=hint))
    assert page.status == 200 and not page.location, page


def nobody_is_signed_out_without_confirmation():
    """L2: without the session's own ID token a page asks; the form needs its token."""
    client, (user, browser) = Client("told"), _person()
    own, elsewhere = client.grant(browser), client.grant(Browser(main(), user).sign_in())
    stranger = client.grant(_person()[1])
    foreign = jwt.encode(jwt.decode(own["id_token"], options={"verify_signature": False}),
                         secret("x"), "HS256")
    parts = own["id_token"].split(".")
    unsigned = compact({"alg": "none", "typ": "JWT"}, jwt.decode(
        own["id_token"], options={"verify_signature": False}))

    def check(hint):
        for method in ("GET", "POST"):
            sent = {"id_token_hint": hint, "client_id": client.id, "state": "s",
                    "post_logout_redirect_uri": _bye(client)}
            sent = {name: value for name, value in sent.items() if value}
            page = (browser.open(_address(**sent)) if method == "GET" else
                    browser.open("/oauth/logout", "POST", data=sent))
            assert page.status == 200 and not page.location, page
            assert client.members["client_name"] in page.text and user.email in page.text, page
            assert "told.example.com" in page.text, page
            assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"], page
            form = next(form for form in page.forms if "logout" in form["action"])
            assert _is_in(browser)
            # Another site sends the form.
            address = urllib.parse.urljoin(page.url, form["action"])
            values = {name: value for name, value in form["fields"].items() if name != "form"}
            for headers in ({"Origin": "https://evil.example"}, {}):
                browser.send("POST", address, data=values, headers=headers)
                assert _is_in(browser), headers
        return page, form
    each([None, elsewhere["id_token"], stranger["id_token"], foreign, unsigned,
          own["access_token"], "x", ".".join([parts[0], parts[1], parts[2][::-1]])], check)
    page, form = check(None)
    page = browser.submit(page, form)
    assert page.left.split("?")[0] == _bye(client) and page.answer == {"state": "s"}, page
    assert not _is_in(browser)
    assert "abmelden" in Browser(main(), user, "de").sign_in().open(_address()).text


def addresses_after_a_sign_out_must_be_registered():
    """B58, L4: for another address a page is shown, and nobody is signed out; loopback allows any
    port."""
    client, (_, browser) = Client("told"), _person()
    hint, bye = client.grant(browser)["id_token"], _bye(client)

    def check(changes):
        sent = {"id_token_hint": hint, "post_logout_redirect_uri": bye} | changes
        query = [(name, one) for name, value in sent.items() if value
                 for one in (value if isinstance(value, list) else [value])]
        page = browser.open(f"{main().issuer}/oauth/logout?{urllib.parse.urlencode(query)}")
        assert 400 <= page.status < 500 and not page.location, page
        assert _is_in(browser)
    each([{"post_logout_redirect_uri": wrong} for wrong in (
        bye + "/", bye + "?x", bye + "#x", bye.upper(), "https://evil.example/",
        "javascript:alert(1)", "//evil.example", bye.replace("told.", "told.evil."),
        client.redirect_uri, "https://heard.example.com/bye")] + [
            # L3: the client is that of the ID token.
            {"client_id": "heard"}, {"client_id": "nobody"},
            {"id_token_hint": None}, {"id_token_hint": None, "client_id": "heard"},
            {"state": ["a", "b"]}, {"post_logout_redirect_uri": [bye, bye]}], check)
    cli, (_, browser) = Client("cli"), _person()
    hint = cli.grant(browser, redirect_uri="http://127.0.0.1:4711/callback")["id_token"]
    for wrong in ("http://127.0.0.1:4711/other", "http://127.0.0.2:4711/bye"):
        page = browser.open(_address(id_token_hint=hint, post_logout_redirect_uri=wrong))
        assert page.status == 400 and not page.location, page
    page = browser.open(_address(
        id_token_hint=hint, post_logout_redirect_uri="http://127.0.0.1:4711/bye"))
    assert page.left == "http://127.0.0.1:4711/bye", page


def no_browser_is_redirected_without_confirmation():
    """L4, L5: without a hint, a browser without a session gets a page with a link."""
    client = Client("told")
    page = Browser(main()).open(_address(
        client_id=client.id, post_logout_redirect_uri=_bye(client), state="s"))
    assert page.status == 200 and not page.location and _bye(client) in page.source, page
    assert Browser(main()).open(_address()).status == 200


# MARK: Notices

def _notices(sid, seconds=4):
    """The notices about a session, once they have had time to arrive, with their claims."""
    state, end = logout_receiver.start(), time.monotonic() + seconds
    while time.monotonic() < end:
        found = [notice for notice in state.notices if _claims(notice)["sid"] == sid]
        if len(found) >= 2:
            # Perhaps one comes twice.
            time.sleep(0.3)
            return [one for one in state.notices if _claims(one)["sid"] == sid]
        time.sleep(0.02)
    return [one for one in state.notices if _claims(one)["sid"] == sid]


def _claims(notice):
    return jwt.decode(notice.fields["logout_token"][0], options={"verify_signature": False})


def a_notice_is_a_logout_token():
    """L7: form, type, claims, algorithm of the client; no nonce; it is not accepted as another
    token."""
    client, here, (user, browser) = Client("heard"), main(), _person()
    logout_receiver.start()
    tokens = client.grant(browser, nonce="n", scope="openid email")
    claims = here.verified(tokens["id_token"], client.id, "JWT")
    Client("told").grant(browser)
    browser.open(_address(id_token_hint=tokens["id_token"]))
    found = {notice.client: notice for notice in _notices(claims["sid"])}
    assert found.keys() == {"told", "heard"}, found
    for name, algorithm in (("told", "RS256"), ("heard", "ES256")):
        notice = found[name]
        assert notice.type == "application/x-www-form-urlencoded", notice
        assert notice.fields.keys() == {"logout_token"}, notice
        token = notice.fields["logout_token"][0]
        assert jwt.get_unverified_header(token)["alg"] == algorithm, name
        told = here.verified(token, name, "logout+jwt")
        assert told["sub"] == user.id and told["sid"] == claims["sid"], told
        assert told["events"] == {EVENT: {}} and told["jti"] and "nonce" not in told, told
        assert 0 < told["exp"] - told["iat"] <= 120 and abs(told["iat"] - time.time()) < 10, told
        for path in ("/oauth/userinfo", "/auth/me"):
            assert here.call("GET", path, token=token).status_code == 401, path
        # Nor is it a hint.
        other = Browser(here, user).sign_in()
        page = other.open(_address(id_token_hint=token))
        assert page.status == 200 and _is_in(other), page


def a_notice_is_sent_for_a_device():
    """L8: the client of an allowed device is also told when the session ends."""
    client, browser = Client("told"), _person()[1]
    logout_receiver.start()
    device = good(client.begin(scope="openid"))
    browser.connect(device["user_code"])
    tokens = good(client.poll(device["device_code"]))
    sid = main().verified(tokens["id_token"], client.id, "JWT")["sid"]
    browser.open(_address(id_token_hint=tokens["id_token"]))
    assert [notice.client for notice in _notices(sid, 2)] == ["told"], sid


@of_one_process
def every_end_of_a_session_is_notified():
    """B60, L8, L9: one notice for each client within four seconds, whatever ends the session."""
    here, clients = main(), [Client("told"), Client("heard")]
    logout_receiver.start()

    def leave(_, browser, __):
        page = browser.open("/auth/ui/account")
        form = next(form for form in page.forms if "signout" in form["action"])
        browser.submit(page, form)

    def sign_out(scope):
        return lambda user, *_: here.call("POST", "/auth/signout", json={
            "refreshToken": user.tokens["refreshToken"], "scope": scope})

    def own(method, path, **body):
        return lambda user, _, sid: here.call(
            method, path.format(sid), token=user.tokens["accessToken"], json=body)

    def administer(action):
        return lambda user, *_: here.administer("POST", f"/auth/users/{user.id}/{action}")

    def one_by_an_administrator(user, _, sid):
        return here.administer("DELETE", f"/auth/users/{user.id}/sessions/{sid}")

    def reset(user, *_):
        here.call("POST", "/auth/forgot-password", json={"email": user.email})
        token = here.mailed(user.email, r"reset-password\S*token=([\w-]{40,})")
        return here.call("POST", "/auth/reset-password", json={
            "token": token, "newPassword": PASSWORD + "x"})

    def own_tokens(_, browser, __):
        cookie = next(value for name, value in browser.session.cookies.items()
                      if name in ("latchkey", "__Host-latchkey"))
        return here.call("POST", "/auth/signout", json={
            "refreshToken": urllib.parse.unquote(cookie).split("~")[0]})

    def sign_in_again(_, browser, __):
        page = browser.open("/auth/ui/signin?notice=switching")
        browser.walk(page)

    def check(_, act):
        user, browser = _person()
        sid = {here.verified(client.grant(browser)["id_token"], client.id, "JWT")["sid"]
               for client in clients + clients}
        assert len(sid) == 1, sid
        (sid,), began = sid, time.monotonic()
        answer = act(user, browser, sid)
        assert answer is None or answer.ok, shown(answer)
        found = _notices(sid)
        assert sorted(notice.client for notice in found) == ["heard", "told"], found
        assert all(notice.at - began < 4 for notice in found), found
    each([
        ("page", leave), ("token", own_tokens), ("again", sign_in_again),
        ("all", sign_out("all")), ("others", sign_out("others")),
        ("list", own("DELETE", "/auth/sessions/{}")),
        ("password", own("POST", "/auth/change-password", currentPassword=PASSWORD,
                         newPassword=PASSWORD + "x")),
        ("reset", reset), ("disable", administer("disable")), ("sign out", administer("signout")),
        ("one", one_by_an_administrator), ("delete", own("DELETE", "/auth/account"))], check)


@of_one_process
def reuse_of_a_refresh_token_is_notified():
    """L9: clients are told of a session that ends because its token was used twice."""
    here = server.bare()
    logout_receiver.start()
    client, (_, browser) = Client("told", here), _person(here)
    sid = here.verified(client.grant(browser)["id_token"], client.id, "JWT")["sid"]
    Client("heard", here).grant(browser)
    cookie = next(value for name, value in browser.session.cookies.items() if name == "latchkey")
    token = urllib.parse.unquote(cookie).split("~")[0]
    for status in (200, 401):
        answer = here.call("POST", "/auth/refresh", json={"refreshToken": token})
        assert answer.status_code == status, shown(answer)
    assert sorted(notice.client for notice in _notices(sid)) == ["heard", "told"]


def a_session_has_ended_before_its_notice():
    """B60, L6: when the notice arrives, its tokens are of no use; the browser returns later."""
    here, state, client = main(), logout_receiver.start(), Client("told")
    _, browser = _person()
    tokens, seen = client.grant(browser, scope="openid email"), []
    other = browser.copy()

    def before(_):
        seen.append((client.userinfo(tokens["access_token"]).status_code, _is_in(other)))
        time.sleep(0.5)
    state.before = before
    try:
        page = browser.open(_address(
            id_token_hint=tokens["id_token"], post_logout_redirect_uri=_bye(client)))
        assert page.left == _bye(client), page
        sid = here.verified(tokens["id_token"], client.id, "JWT")["sid"]
        assert [notice for notice in state.notices if _claims(notice)["sid"] == sid]
    finally:
        state.before = lambda notice: None
    assert seen == [(401, False)], seen


def a_hanging_client_delays_nobody():
    """L8, L11: the browser waits less than 4.5 s, and other clients are told at once."""
    state, here = logout_receiver.start(), main()
    state.answers["hangs"] = None
    _, browser = _person()
    sid = None
    for name in ("hangs", "told"):
        client = Client(name)
        tokens = client.grant(browser)
        sid = here.verified(tokens["id_token"], client.id, "JWT")["sid"]
    began = time.monotonic()
    page = browser.open(_address(
        id_token_hint=tokens["id_token"], post_logout_redirect_uri=_bye(client)))
    assert page.left == _bye(client) and time.monotonic() - began < 4.5, page
    told = [notice for notice in _notices(sid) if notice.client == "told"]
    assert len(told) == 1 and told[0].at - began < 1, told
    # Others do not wait for it at all, and a client whose server is down does not prevent a
    # sign-out.
    state.answers["hangs"] = 500
    _, browser = _person()
    tokens = Client("hangs").grant(browser)
    page = browser.open(_address(id_token_hint=tokens["id_token"]))
    assert page.status == 200 and not _is_in(browser), page


def a_sign_out_ends_a_concurrent_code():
    """B60, L9: if a session ends while a client gets its tokens, the client is told or gets no
    tokens."""
    here, client = main(), Client("told")
    logout_receiver.start()

    def check(_):
        _, browser = _person()
        hint = Client("heard").grant(browser)["id_token"]
        request, code = client.code(browser)
        answers = at_once(lambda act: act(), [
            lambda: client.redeem(request, code),
            lambda: browser.open(_address(id_token_hint=hint))])
        if answers[0].status_code != 200:
            return
        sid = here.verified(good(answers[0])["id_token"], client.id, "JWT")["sid"]
        assert "told" in [notice.client for notice in _notices(sid)]
    each([(number,) for number in range(8)], check)


def clients_cannot_have_internal_notice_addresses():
    """N6, Q3: a self-registered client gets no notices, and a document may name only https;
    loopback by http is only for clients of the operator with a secret."""
    here = main()

    def check(status, **members):
        answer = here.call(
            "POST", "/oauth/register", token=secret("registration"),
            json={"redirect_uris": ["https://stranger.example.com/cb"]} | members)
        assert answer.status_code == status, shown(answer)
        return answer.json()
    host = server.documents()
    for number, (address, works) in enumerate((
            (host.url + "/notice", True), (f"http://127.0.0.1:{RECEIVER}/x", False),
            ("http://stranger.example.com/x", False), ("javascript:alert(1)", False),
            ("https://a.example/#x", False), ("https://u@a.example/", False))):
        client = Client(host.client(f"/told{number}", backchannel_logout_uri=address))
        page = signed_in().open(client.request().url)
        assert (page.form("decision") is not None) == works, (address, page)
    check(400, post_logout_redirect_uris=["javascript:alert(1)"])
    made = check(201, backchannel_logout_uri="https://stranger.example.com/x",
                 post_logout_redirect_uris=["https://stranger.example.com/bye"],
                 backchannel_logout_session_required=True)
    assert "backchannel_logout_uri" not in made, made
    assert made["post_logout_redirect_uris"] == ["https://stranger.example.com/bye"], made
    for address, method in ((f"http://127.0.0.1:{RECEIVER}/x", "none"),
                            ("http://shop.example.com/x", "client_secret_basic")):
        answer = here.administer(
            "POST", "/auth/clients", client_name="Shop", token_endpoint_auth_method=method,
            redirect_uris=["https://shop.example.com/cb"], backchannel_logout_uri=address)
        assert answer.status_code == 400, shown(answer)


def logout_is_in_the_metadata():
    """L1, L7, M4: the endpoint, and that notices name the session."""
    found = main().metadata
    assert found["end_session_endpoint"] == main().issuer + "/oauth/logout", found
    assert found["backchannel_logout_supported"] is True, found
    assert found["backchannel_logout_session_supported"] is True, found
    assert not [name for name in found if name.startswith("frontchannel")], found
    assert "end_session_endpoint" not in server.off().metadata
