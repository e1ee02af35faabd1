"""The device grant (RFC 8628)."""

import re
import time
import urllib.parse

import server
from browser import Browser
from client import Client, at_once, each, good, refused, shown
from server import main, of_one_process
from settings import API1, API2, DEVICE, secret

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


def _person(where=None):
    where = where or main()
    return Browser(where, where.account()).sign_in()


def the_device_gets_codes_and_addresses():
    """D2, D3, E4, G7: both codes, the address to type one, their lifetime, and the interval."""
    def check(name):
        found = good(Client(name).begin(scope="openid"))
        assert found.keys() == {"device_code", "user_code", "verification_uri", "expires_in",
                                "verification_uri_complete", "interval"}, found
        assert re.fullmatch(f"[{LETTERS}]{{4}}-[{LETTERS}]{{4}}", found["user_code"]), found
        assert found["verification_uri"] == main().issuer + "/oauth/device", found
        assert found["verification_uri_complete"] == (
            f"{found['verification_uri']}?user_code={found['user_code']}"), found
        assert found["expires_in"] == 600 and found["interval"] == 5, found
        assert len(found["device_code"]) >= 43, found
        return found["device_code"], found["user_code"]
    each(["tv", "desk"], check)
    found = [check("tv") for _ in range(8)]
    assert len(set(found)) == 8, found
    assert main().metadata["device_authorization_endpoint"].endswith("/oauth/device_authorization")
    assert not any(code in "".join(main().log) for pair in found for code in pair)


def a_device_request_follows_the_common_rules():
    """B32, C1, D1, D7: client, method, grant type, scope, resource, repeated parameters."""
    each([
        ("web", {}, "unauthorized_client"), ("cli", {}, "unauthorized_client"),
        ("tv", {"scope": "nonsense"}, "invalid_scope"),
        ("tv", {"resource": "https://evil.example/"}, "invalid_target"),
        ("desk", {"resource": API2, "scope": "b:read"}, "invalid_target"),
        ("tv", {"scope": ["openid", "email"]}, "invalid_request"),
    ], lambda name, fields, error: refused(Client(name).begin(**fields), error))
    tv, path = Client("tv"), "/oauth/device_authorization"
    refused(main().call("POST", path, data={"client_id": "nobody"}), "invalid_client", status=401)
    refused(main().call("POST", path, data={"client_id": "desk"}), "invalid_client", status=401)
    refused(main().call("POST", path, json={"client_id": "tv"}), "invalid_request")
    # A client without the type of grant gets nothing at the token endpoint either.
    code = good(tv.begin())["device_code"]
    refused(Client("cli").poll(code), "unauthorized_client")
    refused(tv.token(grant_type=DEVICE), "invalid_request")
    good(tv.begin(scope="a:read", resource=API1))


def a_person_allows_a_device():
    """D4, D9, O2: pending, then tokens once, with the proofs of the person's sign-in."""
    for name, scope, audience in (
            ("tv", "openid email offline_access", main().issuer), ("desk", "openid", main().issuer),
            ("tv", "a:read", API1)):
        client, browser = Client(name), _person()
        device = good(client.begin(scope=scope, resource=None if audience != API1 else API1))
        refused(client.poll(device["device_code"]), "authorization_pending")
        page = browser.connect(device["user_code"])
        assert page.status == 200 and not page.form("decision"), page
        tokens = good(client.poll(device["device_code"]))
        assert tokens["token_type"] == "Bearer" and tokens["scope"] == scope, tokens
        claims = main().verified(tokens["access_token"], audience)
        assert claims["client_id"] == name and claims["sub"] == browser.user.id, claims
        if "openid" in scope:
            identity = main().verified(tokens["id_token"], name, "JWT")
            assert identity["sub"] == browser.user.id and "nonce" not in identity, identity
            assert identity["auth_time"] == claims["auth_time"], (identity, claims)
        refused(client.poll(device["device_code"]), "invalid_grant")
        assert client.is_alive(tokens)
        assert client.members["client_name"] in browser.open("/auth/ui/applications").text


def one_approval_gives_one_set_of_tokens():
    """B2, D9: of 16 parallel polls after the approval one gets tokens."""
    for name in ("tv", "desk"):
        client = Client(name)
        device = good(client.begin(scope="openid"))
        _person().connect(device["user_code"])
        found = at_once(lambda _, client=client, device=device: client.poll(device["device_code"]),
                        range(16))
        won = [answer for answer in found if answer.status_code == 200]
        assert len(won) == 1, [answer.text[:80] for answer in found]
        for answer in found:
            if answer is not won[0]:
                refused(answer, "invalid_grant")
        assert client.is_alive(won[0].json())


def a_device_code_is_bound_to_its_client():
    """B1, D7: another client, or a text that is not a device code, is refused, and changes
    nothing."""
    owner = Client("tv")
    device = good(owner.begin(scope="openid"))
    code = device["device_code"]
    refused(Client("desk").poll(code), "invalid_grant")
    _person().connect(device["user_code"])
    refused(Client("desk").poll(code), "invalid_grant")
    for wrong in (code[:-4], code + "AAAA", code[:-4] + "AAAA", "x", "x" * 5000, "é",
                  device["user_code"]):
        refused(owner.poll(wrong), "invalid_grant")
    refused(owner.token(grant_type=DEVICE, device_code=[code, code]), "invalid_request")
    refused(owner.poll(code, resource=API1), "invalid_target")
    assert good(owner.poll(code))["access_token"]


def a_person_can_refuse_a_device():
    """D6, K6: the device learns it at each poll, and the code is of no use."""
    client, browser = Client("tv"), _person()
    device = good(client.begin())
    page = browser.connect(device["user_code"], "deny")
    assert page.status == 200, page
    for _ in range(2):
        refused(client.poll(device["device_code"]), "access_denied")
    assert browser.typed(device["user_code"]).form("decision") is None


@of_one_process
def an_honest_device_recovers():
    """B31, D6: too early is `slow_down`, and 5 s more; a device that waits gets an answer again."""
    client = Client("tv")
    device = good(client.begin())
    code = device["device_code"]
    refused(client.poll(code), "authorization_pending")
    for _ in range(2):
        refused(client.poll(code), "slow_down")
    # The interval is 15 s now, from the question that came in time.
    for passed, error in ((9, "slow_down"), (20, "authorization_pending"), (12, "slow_down"),
                          (25, "authorization_pending"), (25, "authorization_pending")):
        main().age("USERCODE#", passed)
        refused(client.poll(code), error)
    _person().connect(device["user_code"])
    assert good(client.poll(code))["access_token"]


def a_device_that_keeps_to_the_interval_is_never_slowed():
    """D6: three polls, five seconds apart."""
    client = Client("tv")
    code = good(client.begin())["device_code"]
    for pause in (0, 5, 5):
        time.sleep(pause)
        refused(client.poll(code), "authorization_pending")


def an_approval_is_never_too_early():
    """D6: a device that polls all the time gets its tokens as soon as they are allowed."""
    client = Client("desk")
    device = good(client.begin())
    for _ in range(4):
        client.poll(device["device_code"])
    _person().connect(device["user_code"])
    assert good(client.poll(device["device_code"]))["access_token"]


@of_one_process
def codes_expire():
    """D6, D8: after ten minutes neither code is of use, even if it was allowed."""
    for is_allowed in (False, True):
        client, browser = Client("tv"), _person()
        device = good(client.begin())
        if is_allowed:
            browser.connect(device["user_code"])
        main().age("USERCODE#", 590)
        if not is_allowed:
            refused(client.poll(device["device_code"]), "authorization_pending")
        main().age("USERCODE#", 11)
        refused(client.poll(device["device_code"]), "expired_token")
        assert browser.typed(device["user_code"]).form("decision") is None
        main().age("USERCODE#", 1200)
        refused(client.poll(device["device_code"]), "invalid_grant")


def an_approval_ends_with_its_session_or_account():
    """B29, D8, K8: no tokens if the user is disabled, has signed out or has removed the client."""
    here = main()

    def leave(_, browser):
        page = browser.open("/auth/ui/account")
        browser.submit(page, next(form for form in page.forms if "signout" in form["action"]))

    def administer(action):
        return lambda user, _: here.administer("POST", f"/auth/users/{user.id}/{action}")

    def delete(path):
        return lambda user, _: here.call("DELETE", path, token=user.tokens["accessToken"])

    def check(_, act):
        client, browser = Client("tv"), _person()
        device = good(client.begin(scope="openid offline_access"))
        browser.connect(device["user_code"])
        answer = act(browser.user, browser)
        assert answer is None or answer.ok, shown(answer)
        refused(client.poll(device["device_code"]), "invalid_grant")
    each([
        ("disable", administer("disable")), ("sign out", administer("signout")), ("page", leave),
        ("delete", delete("/auth/account")),
        ("remove", delete("/auth/applications/tv")),
    ], check)


# MARK: The page

def a_person_signs_in_before_the_code():
    """D4, E5: the page asks for the sign-in first, keeps the code, and still asks."""
    client, user = Client("tv"), main().account()
    for language, words in (("en", "Type the code"), ("de", "Geben Sie den Code")):
        device = good(client.begin())
        browser = Browser(main(), user, language)
        page = browser.open(device["verification_uri_complete"])
        assert page.form("password") and not page.form("user_code"), page
        page = browser.walk(page, None)
        form = page.form("user_code")
        assert form and form["fields"]["user_code"] == device["user_code"], page
        assert words in page.text and f'lang="{language}"' in page.source, page
        assert not page.form("decision") and device["user_code"] not in page.text, page
        assert "<script" not in page.source, page.source
        for name in ("X-Frame-Options", "Content-Security-Policy"):
            assert name in page.headers, page.headers
        assert "no-store" in page.headers["Cache-Control"], page.headers
        # Without a code in the address the field is empty.
        page = browser.open(device["verification_uri"])
        assert page.form("user_code")["fields"]["user_code"] == "", page


def the_page_shows_client_and_scopes():
    """D4, K2: client, scopes, resource, account, from where; the code, and a warning."""
    rows = [("en", "See your photos", "on a device that is in front of you"),
            ("de", "See your photos", "an einem Gerät, das vor Ihnen steht")]

    def check(language, scope, warning):
        client, user = Client("tv"), main().account()
        browser = Browser(main(), user, language).sign_in()
        device = good(client.begin(scope="openid a:read", resource=API1))
        page = browser.typed(device["user_code"])
        for word in (client.members["client_name"], client.id, scope, "Photo Shelf", user.email,
                     device["user_code"], "127.0.0.1", warning):
            assert word in page.text, f"{word}: {page.text}"
        form = page.form("decision")
        assert {button[1] for button in form["buttons"]} == {"allow", "deny"}, form
        assert re.search(r'<a href="[^"]*accounts">', page.source), page.source
    each(rows, check)


def a_code_can_be_typed_in_any_form():
    """D3: case, dashes and spaces do not matter."""
    client, browser = Client("tv"), _person()
    for change in (str.lower, lambda code: code.replace("-", ""),
                   lambda code: " " + code.replace("-", " ") + " ",
                   lambda code: "-".join(code.replace("-", "").lower())):
        code = good(client.begin())["user_code"]
        page = browser.typed(change(code))
        assert page.form("decision") and code in page.text, (code, page)


def opening_the_page_changes_nothing():
    """D4: neither an address with the code nor one with a decision lets a device in."""
    client, browser = Client("tv"), _person()
    device = good(client.begin())
    page = browser.typed(device["user_code"])
    fields = page.form("decision")["fields"] | {"decision": "allow"}
    for query in (fields, {"user_code": device["user_code"], "decision": "allow"}):
        page = browser.open(f"/oauth/device?{urllib.parse.urlencode(query)}")
        assert page.form("user_code") and not page.form("decision"), page
    refused(client.poll(device["device_code"]), "authorization_pending")


def a_decision_needs_its_form_and_its_account():
    """B22, B24, K7: refused without the form's token, from another site, or by a user who has not
    typed the code."""
    client, browser = Client("tv"), _person()
    device = good(client.begin())
    page = browser.typed(device["user_code"])
    form = page.form("decision")
    url = urllib.parse.urljoin(page.url, form["action"])
    fields, own = form["fields"] | {"decision": "allow"}, {"Origin": main().origin}
    other = _person()
    blank = other.open("/oauth/device").form("user_code")["fields"]
    each([
        (browser, fields | {"form": "x"}, own), (browser, fields | {"form": ""}, own),
        (browser, fields, {}), (browser, fields, {"Origin": "https://evil.example"}),
        (browser, fields | {"account": other.user.id}, own),
        (browser, fields | {"decision": "perhaps"}, own),
        (Browser(main()), fields, own), (other, fields | {"form": blank["form"]}, own),
        (other, fields | {"form": blank["form"], "account": other.user.id}, own),
    ], lambda who, data, headers: who.send("POST", url, data=data, headers=headers))
    refused(client.poll(device["device_code"]), "authorization_pending")
    browser.decide(page, "allow")
    tokens = good(client.poll(device["device_code"]))
    assert main().verified(tokens["access_token"], main().issuer)["sub"] == browser.user.id


def guests_sign_in_first():
    """D4, K10: a guest is asked to sign in."""
    page = Browser(main()).open("/oauth/device?user_code=BCDF-GHJK")
    assert page.form("password") and not page.form("user_code"), page


def a_device_always_needs_consent():
    """B26, K3: consent for a device is never remembered for a program without a secret."""
    browser = _person()
    for name, allowed in (("pad", False), ("desk", True)):
        client = Client(name)
        for _ in range(2):
            browser.connect(good(client.begin(scope="openid"))["user_code"])
        before = browser.consents
        client.code(browser, scope="openid")
        assert (browser.consents == before) == allowed, name


# MARK: Guesses

@of_one_process
def user_codes_cannot_be_guessed():
    """B30, D5: after five wrong codes an account waits, after twenty an address, for minutes."""
    here = server.bare()
    client = Client("tv", here)

    def wrong(number):
        return f"XXXX-{LETTERS[number]}ZZZ" if number < len(LETTERS) else "not a code"

    # One after the other, then at once.
    for is_parallel in (False, True):
        browser, device = _person(here), good(client.begin())

        def guess(number, browser=browser):
            return browser.copy().typed(wrong(number)).status
        found = at_once(guess, range(24)) if is_parallel else [guess(one) for one in range(24)]
        assert found.count(400) == 5 and found.count(429) == 19, found
        page = browser.typed(device["user_code"])
        assert page.status == 429 and page.form("decision") is None, page
        assert "Too many attempts" in page.text, page
        refused(client.poll(device["device_code"]), "authorization_pending")
    # Right ones between wrong ones.
    for count in (4, 1, 5):
        browser = browser if count == 1 else _person(here)
        for number in range(count):
            assert browser.typed(wrong(number)).status == 400, number
        if count == 4:
            for _ in range(3):
                browser.connect(good(client.begin())["user_code"])
        else:
            assert browser.typed(good(client.begin())["user_code"]).status == 429
    # Those were twenty of this address.
    assert _person(here).typed(good(client.begin())["user_code"]).status == 429


# MARK: Others

def a_device_registers():
    """D7, N1: a program with only this grant type needs no redirect URI."""
    answer = main().call("POST", "/oauth/register", token=secret("registration"), json={
        "client_name": "Set", "token_endpoint_auth_method": "none",
        "grant_types": [DEVICE, "refresh_token"]})
    assert answer.status_code == 201, answer.text
    client = Client(answer.json())
    device = good(client.begin(scope="openid"))
    browser = _person()
    page = browser.typed(device["user_code"])
    # Nobody has checked its name.
    assert "nobody has checked its name" in page.text, page
    browser.decide(page, "allow")
    assert good(client.poll(device["device_code"]))["access_token"]
