"""Consent, and the browser that a request belongs to."""

import re
import secrets
import urllib.parse

from browser import Browser
from client import Client, at_once, each, good
from server import main
from settings import API1, API2, PASSWORD


def _asked(browser, client, **changes):
    """Opens the page that asks for consent."""
    page = browser.walk(browser.open(client.request(**changes).url), None)
    assert page.form("decision"), page
    return page


def the_page_shows_client_and_scopes():
    """B23, K1, K2, K7: client, redirect host, scopes, resource and account; deny is beside
    allow."""
    user = main().account()
    rows = [("en", "web", "See your photos", "Photo Shelf", "web.example.com"),
            ("de", "web", "See your photos", "Photo Shelf", "web.example.com"),
            ("en", "cli", "See your photos", "Photo Shelf", "127.0.0.1"),
            ("en", "native", "See your photos", "Photo Shelf", "com.example.app")]

    def check(language, name, scope, resource, host):
        client = Client(name)
        page = _asked(Browser(main(), user, language), client, scope="openid a:read offline_access",
                      resource=API1)
        for word in (client.members["client_name"], scope, resource, host, user.email):
            assert word in page.text, f"{word}: {page.text}"
        assert f'lang="{language}"' in page.source and "<script" not in page.source, page.source
        assert client.id in page.text, page.text
        # "Not you?" leads to the sign-in.
        assert re.search(r'<a href="[^"]*accounts">', page.source), page.source
        form = page.form("decision")
        assert form["fields"]["form"], form
        assert {button[1] for button in form["buttons"]} == {"allow", "deny"}, form
        policy = page.headers["Content-Security-Policy"]
        assert host in policy.split("form-action")[1].split(";")[0], policy
    each(rows, check)


def the_page_warns_of_a_local_program():
    """K2: the page describes a redirect to the user's own machine differently from one to a
    site."""
    texts = []
    for name, host in (("web", "https://web.example.com"), ("cli", "http://127.0.0.1")):
        page = _asked(Browser(main(), main().account()).sign_in(), Client(name))
        line = next(line for line in page.source.splitlines() if host in line and "<p" in line)
        texts.append(line.replace(host, ""))
    assert texts[0] != texts[1], texts


def a_refusal_is_returned_to_the_client():
    """K6, P1: deny is `access_denied` with state and issuer, and is not remembered."""
    client, browser = Client("web"), Browser(main(), main().account())
    for _ in range(2):
        assert client.request().run(browser, "deny")["error"] == "access_denied"
    assert browser.consents == 2 and browser.sign_ins == 1


def consent_is_remembered_for_some_clients_only():
    """B23, B26, K3, K4: not for apps on loopback and private schemes, nor for new scopes or
    resources."""
    browser = Browser(main(), main().account()).sign_in()

    def check(name, changes, asked):
        before = browser.consents
        Client(name).code(browser, **changes)
        assert browser.consents - before == asked, (name, changes)
    read = {"scope": "a:read", "resource": API1}
    more = read | {"scope": "a:read a:write"}
    each([
        ("web", read, 1), ("web", read, 0), ("web", more, 1), ("web", more, 0), ("web", read, 0),
        ("web", read | {"prompt": "consent"}, 1), ("post", read, 1), ("post", read, 0),
        ("post", {"scope": "b:read", "resource": API2}, 1), ("cli", read, 1), ("cli", read, 1),
        ("native", read, 1), ("native", read, 1), ("own", read, 0),
        ("spa", read, 1), ("spa", read, 0),
    ], check)
    assert browser.sign_ins == 0


def a_decision_needs_its_form():
    """B22, K7: there is no code without the hidden token, with a wrong one, or from another
    site."""
    browser = Browser(main(), main().account()).sign_in()
    page = _asked(browser, Client("web"))
    form = page.form("decision")
    url = urllib.parse.urljoin(page.url, form["action"])
    fields, own = form["fields"] | {"decision": "allow"}, {"Origin": main().origin}
    each([
        (fields | {"form": "x"}, own), ({**fields, "form": ""}, own),
        ({name: value for name, value in fields.items() if name != "form"}, own), (fields, {}),
        (fields, {"Origin": "https://evil.example"}), (fields, {"Origin": "null"}),
        (fields, own | {"Sec-Fetch-Site": "cross-site"}),
        (fields | {"decision": "perhaps"}, own),
    ], lambda data, headers: _no_code(browser.send("POST", url, data=data, headers=headers)))
    for query in ("decision=allow", urllib.parse.urlencode(fields)):
        _no_code(browser.send("GET", url + ("&" if "?" in url else "?") + query))
    assert "code=" in browser.decide(page, "allow").left


def _no_code(page):
    assert not page.left or "code=" not in page.left, page


def the_validated_request_is_used():
    """B22, B28, A7: forged fields and a changed query neither widen nor redirect."""
    client, browser = Client("web"), Browser(main(), main().account()).sign_in()
    request = client.request(scope="a:read", resource=API1)
    page = browser.walk(browser.open(request.url), None)
    forged = {"scope": "a:read a:write openid", "redirect_uri": "https://evil.example/",
              "client_id": "own", "response_type": "token", "consent": "true", "skip_consent": "1",
              "resource": API2, "code_challenge": "x" * 43, "user": main().user.id}
    form = page.form("decision")
    form = form | {"fields": forged | form["fields"],
                   "action": form["action"] + ("&" if "?" in form["action"] else "?")
                   + urllib.parse.urlencode(forged)}
    page = browser.submit(page, form, ("decision", "allow"))
    if page.left:
        tokens = good(client.redeem(request, request.answered(page)["code"]))
        assert tokens["scope"] == "a:read" and main().opens(tokens["access_token"], API1), tokens


def a_request_is_bound_to_its_browser():
    """B24, B25, B27, A6: a copied page or link gives another browser no decision and no code."""
    attacker = Browser(main(), main().account()).sign_in()
    victim = Browser(main(), main().account()).sign_in()
    client = Client("web")
    page = _asked(attacker, client)
    if "client_id=" not in page.url:
        copied = victim.open(page.url)
        assert copied.left is None and not copied.form("decision"), copied
    # The attacker's form, with the victim's own token, and with the victim's account.
    own = _asked(victim, client).form("decision")["fields"]
    form = page.form("decision")
    for names in ({"form"}, {"form", "account"}):
        fields = form["fields"] | {name: own[name] for name in names & own.keys()}
        _no_code(victim.submit(page, form | {"fields": fields}, ("decision", "allow")))
    # The request began before anybody had signed in.
    stranger, fresh = Browser(main(), attacker.user), Browser(main(), victim.user)
    began = stranger.open(client.request().url)
    page = fresh.walk(fresh.open(began.url))
    _no_code(page)
    # A session that changes during the request is asked again, as the new user.
    page = stranger.walk(began, None)
    assert attacker.user.email in page.text, page
    for cookie in victim.session.cookies:
        if cookie.name == "latchkey":
            stranger.session.cookies.set_cookie(cookie)
    _no_code(stranger.decide(page, "allow"))


def a_sign_up_continues_to_the_consent():
    """A8, B43: a registration, proven by mail, goes on to the consent of the request."""
    client, browser = Client("web"), Browser(main())
    request = client.request()
    browser.open(request.url)
    page = browser.open("/auth/ui/register")
    address = f"{secrets.token_hex(8)}@example.com"
    page = browser.submit(page, page.form("newPassword"), email=address, newPassword=PASSWORD,
                          name="Grace Hopper")
    page = browser.submit(page, page.form("code"), code=main().mailed(address, r"\b(\d{8})\b"))
    assert address in page.text, page
    answer = request.answered(browser.decide(page, "allow"))
    assert good(client.redeem(request, answer["code"]))


def a_repeated_decision_gives_one_code():
    """B43, A8: a decision that is repeated gives one code; two requests do not mix."""
    client, browser = Client("web"), Browser(main(), main().account()).sign_in()
    one, two = client.request(), Client("post").request(scope="b:read", resource=API2)
    first, second = (browser.walk(browser.open(request.url), None) for request in (one, two))
    left = browser.decide(first, "allow")
    assert good(client.redeem(one, one.answered(left)["code"]))
    _no_code(browser.decide(first, "allow"))
    again = browser.walk(browser.open(client.request(prompt="consent").url), None)
    pages = at_once(lambda copied: copied.decide(again, "allow"), [
        browser.copy() for _ in range(8)])
    assert sum("code=" in (page.left or "") for page in pages) == 1, pages
    left = browser.decide(second, "allow")
    tokens = good(two.client.redeem(two, two.answered(left)["code"]))
    assert main().opens(tokens["access_token"], API2), tokens


def guests_cannot_consent():
    """K10: a guest is asked to sign in first."""
    here, browser = main(), Browser(main(), main().account())
    answer = here.call("POST", "/auth/guest", json={})
    assert answer.ok, answer.text
    guest = answer.json()
    cookie = f"{guest['refreshToken']}~{guest['accessToken']}"
    browser.session.cookies.set("latchkey", cookie, domain="127.0.0.1", path="/")
    page = browser.open(Client("web").request().url)
    assert page.form("password") and not page.form("decision"), page
    page = browser.open(Client("web").request(prompt="none").url)
    assert page.answer["error"] == "login_required", page
