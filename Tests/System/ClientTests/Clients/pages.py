"""The pages of sign-in and account in Chromium, as people use them: without scripts, by keyboard,
in two languages, on small screens; and what other sites try. With SCREENSHOTS, a folder, it keeps
pictures of each page."""

import base64
import contextlib
import hashlib
import re
import secrets
import urllib.parse
import urllib.request

from judge import APP, AWS, case, run
from page_browser import SCREENSHOTS, browser, check_page, chromium, picture
from page_steps import BASE, HOSTILE, NEW_PASSWORD, address, foreign_site, mail, register, sign_in
from people import PASSWORD, http as ask
from playwright.sync_api import expect


@case
def a_person_registers_and_signs_in_without_scripts():
    email = address()
    with browser(java_script_enabled=False) as page:
        register(page, email)
        assert "Signed in as Ada" in page.text_content("header")
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        assert page.text_content("[role=status]") == "You are signed out."
        sign_in(page, email, "wrong wrong wrong")
        assert "is wrong" in page.text_content("[role=alert]")
        assert page.input_value("[name=email]") == email
        assert page.input_value("[name=password]") == ""
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/account")


@case
def a_link_signs_in_in_the_browser_that_asked_for_it():
    email = address()
    with browser() as page, browser(java_script_enabled=False) as scanner:
        page.goto(f"{BASE}/signin")
        page.fill("[name=email]", email)
        page.click("text=Mail me a code")
        page.wait_for_url("**/magic-link")
        assert email in page.text_content("main")
        _, link = mail(email)
        scanner.goto(link)
        scanner.click("button.main")
        assert "another browser" in scanner.text_content("[role=alert]")
        page.goto(link)
        page.click("button.main")
        page.wait_for_url("**/account")
        assert email in page.text_content("main")


@case
def a_password_is_reset_by_mail():
    email = address()
    with browser(java_script_enabled=False) as page:
        link = register(page, email)
        page.goto(f"{BASE}/reset")
        page.fill("[name=email]", email)
        page.click("button.main")
        page.wait_for_url("**/reset-password")
        page.fill("[name=code]", mail(email, [link])[0])
        page.fill("[name=newPassword]", NEW_PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/signin?notice=passwordChanged")
        page.goto(f"{BASE}/account")
        page.wait_for_url("**/signin")
        sign_in(page, email, NEW_PASSWORD)
        page.wait_for_url("**/account")


@case
def an_app_sends_a_person_here_and_gets_the_session():
    email, back = address(), f"{AWS}/app"
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    query = urllib.parse.urlencode({
        "redirect_uri": back, "state": "a&b", "code_challenge": challenge.decode().rstrip("="),
        "code_challenge_method": "S256", "response_type": "code"})
    with browser(to=[back], java_script_enabled=False) as page:
        register(page, email)
        page.goto(f"{BASE}/signin?{query}")
        page.fill("[name=email]", email)
        page.fill("[name=password]", "wrong wrong wrong")
        page.click("button.main")
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url(f"{back}?*")
        found = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).query))
        assert found.keys() == {"code", "iss", "state"} and found["state"] == "a&b", page.url
        body = {"code": found["code"], "codeVerifier": verifier}
        assert ask("POST", "/auth/ui/token", body | {"codeVerifier": "x" * 43})[0] == 400
        status, session = ask("POST", "/auth/ui/token", body)
        assert status == 200 and session["user"]["email"] == email, session
        assert ask("GET", "/auth/me", token=session["accessToken"])[0] == 200
        assert ask("POST", "/auth/ui/token", body)[0] == 400
        # The browser still has its previous session.
        page.goto(f"{BASE}/account")
        assert email in page.text_content("main")
        page.goto(f"{BASE}/signin?{query.replace('app&', 'apq&')}")
        assert "does not know the address" in page.text_content("[role=alert]")


def at_google(page, email, decision="approve"):
    page.wait_for_url("**/_idp/google/**")
    page.check("[name=account][value=new]", force=True)
    page.fill("[name=new_email]", email)
    page.click(f"[name=decision][value={decision}]")


@case
def google_signs_in_and_is_added():
    email, other = address(), address()
    with browser(java_script_enabled=False) as page:
        page.goto(f"{BASE}/signin")
        page.click("text=Continue with Google")
        at_google(page, email, "cancel")
        page.wait_for_url("**/signin?notice=cancelled")
        page.click("text=Continue with Google")
        at_google(page, email)
        page.wait_for_url("**/account")
        assert email in page.text_content("main")
        assert page.locator("[aria-label='Add Google']").count() == 0
        page.click("text=Sign out")
        register(page, other)
        page.click("[aria-label='Add Google']")
        at_google(page, other)
        page.wait_for_url("**/account?notice=methodAdded")
        assert page.text_content("[role=status]") == "The way to sign in is added."
        picture(page, "account", "google")


@case
def the_keyboard_is_enough():
    email = address()
    with browser() as page:
        register(page, email)
        page.context.clear_cookies()
        page.goto(f"{BASE}/signin")
        # The browser gives the focus after the page has loaded.
        page.wait_for_selector("#email:focus")
        page.keyboard.type(email)
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/account")
        seen = []
        for _ in range(12):
            page.keyboard.press("Tab")
            focused = page.evaluate("""() => {
                const element = document.activeElement;
                return element === document.body ? null
                    : [element.textContent, getComputedStyle(element).outlineStyle]; }""")
            if focused is None:
                break
            seen.append(focused)
        assert ["Sign out", "solid"] in seen, seen


@case
def another_tab_and_another_browser_are_signed_out():
    email = address()
    with browser() as page, browser(user_agent="Firefox/140.0 (X11; Linux)") as other:
        register(page, email)
        sign_in(other, email)
        other.wait_for_url("**/account")
        tab = page.context.new_page()
        tab.goto(f"{BASE}/account")
        assert "Firefox, Linux" in tab.text_content("main")
        tab.click("[aria-label^='Sign out ']")
        tab.wait_for_url("**/account?notice=revoked")
        other.reload()
        other.wait_for_url("**/signin")
        tab.click("text=Sign out")
        tab.wait_for_url("**/signin?notice=signedOut")
        page.reload()
        page.wait_for_url("**/signin")


@case
def impatient_clicks_on_a_slow_network_do_no_harm():
    email = address()
    with browser() as page:
        register(page, email)
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        devtools = page.context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 300, "downloadThroughput": 20_000,
            "uploadThroughput": 20_000})
        page.fill("[name=email]", email)
        page.fill("[name=password]", PASSWORD)
        # The second click ends the navigation of the first, for which wait_for_url would fail.
        page.dblclick("button.main")
        expect(page).to_have_url(re.compile("/account$"), timeout=60_000)
        page.click("text=Delete the account")
        page.check("[name=confirm]")
        page.dblclick("button.main")
        expect(page).to_have_url(re.compile("/signin"), timeout=60_000)
        page.wait_for_selector("[name=password]")
        assert not page.is_visible(".says.bad")


@case
def a_page_of_before_the_sign_out_is_not_shown_again():
    email = address()
    with browser() as page:
        register(page, email)
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        page.go_back()
        assert email not in page.text_content("body"), page.url


# A signed-in browser is shown the sign-in page only with a notice.
PAGES = [
    "signin?notice=signedOut", "register", "reset", "verify-email", "magic-link", "reset-password",
    "add-password?token=x", "confirm-email?token=x", "undo-email?token=x",
    "undo-change?token=x", "account",
]


@case
def every_page_fits_a_small_screen_and_is_labelled():
    email = address()
    for settings in [
        {"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"},
        {"locale": "de-DE", "reduced_motion": "reduce"},
    ]:
        with browser(viewport={"width": 320, "height": 640}, **settings) as page:
            if settings == {"color_scheme": "light"}:
                register(page, email, name="A" * 60)
                state = page.context.storage_state()
            page.context.add_cookies(state["cookies"] + [
                {"name": "latchkey-mail", "value": "eA.YUBleGFtcGxlLmNvbQ", "url": APP}])
            for name in PAGES:
                page.goto(f"{BASE}/{name}")
                picture(page, name, "-".join(map(str, settings.values())) + "-320")
                check_page(page, name)


@case
def pages_are_quick_and_small():
    for name in PAGES[:3]:
        with urllib.request.urlopen(f"{BASE}/{name}") as answer:
            assert len(answer.read()) < 30_000
            assert answer.headers["Cache-Control"] == "no-store"
    if SCREENSHOTS:
        for scheme in ("light", "dark"):
            with browser(color_scheme=scheme, viewport={"width": 900, "height": 760}) as page:
                for name in PAGES[:3]:
                    page.goto(f"{BASE}/{name}")
                    picture(page, name, f"{scheme}-900")
                sign_in(page, "nobody@example.com")
                picture(page, "wrong", f"{scheme}-900")
                register(page, address())
                page.goto(f"{BASE}/account")
                picture(page, "account", f"{scheme}-900")


@case
def hostile_text_stays_text():
    email = address()
    with browser(user_agent=HOSTILE) as page:
        register(page, email, HOSTILE)
        assert HOSTILE in page.text_content("main")
        assert page.title().startswith("Your account")
        for name in PAGES[:9]:
            page.goto(f"{BASE}/{name.split('?')[0]}?" + urllib.parse.urlencode(
                {"token": HOSTILE, "notice": HOSTILE, "ui_locales": HOSTILE}))
            assert "hacked" not in page.title()
            assert not page.query_selector("main img")


@case
def another_site_can_neither_send_forms_nor_frame_a_page():
    email = address()
    with foreign_site() as site, contextlib.closing(
            chromium.new_context(locale="en-GB")) as context:
        page = context.new_page()
        register(page, email)
        for name in ("signin", "signout", "revoke-session", "register", "reset", "magic-link"):
            page.goto(f"{site}/{name}")
            with page.expect_response(f"{BASE}/{name}") as answer:
                page.click("button")
            assert answer.value.status == 403, name
        page.goto(f"{BASE}/account")
        assert page.url == f"{BASE}/account"
        with page.expect_event("requestfailed", lambda sent: "/auth/ui/" in sent.url) as failed:
            page.goto(f"{site}/frame")
        assert "BLOCKED_BY_RESPONSE" in failed.value.failure, failed.value.failure


run()
