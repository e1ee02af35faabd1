"""The pages of sign-in and account in Firefox or WebKit (BROWSER), as people use them. With
SCREENSHOTS, a folder, it keeps pictures."""

import contextlib
import os

from axe_playwright_python.base import AXE_SCRIPT

from browsers import eventually
from judge import APP, case, run
from page_steps import (
    BASE, HOSTILE, LAYOUT, NEW_PASSWORD, SITE, address, check_layout, foreign_site, mail,
    register, sign_in)
from page_tabs import tab
from people import PASSWORD, one_time_code

NAME = os.environ["BROWSER"]
stack = contextlib.ExitStack()
# Two browsers for all cases, because each takes seconds to start.
plain = stack.enter_context(tab(NAME, scripts=False))
page = stack.enter_context(tab(NAME))


def says(where, text):
    where.wait_for_text("[role=status]", text)


def sign_out(where):
    where.click("text=Sign out")
    where.wait_for_url("**/signin?notice=signedOut")


def begin_signed_out(where):
    """Signs out the user of the case before."""
    where.goto(f"{BASE}/account")
    if where.url == f"{BASE}/account":
        sign_out(where)


def at_google(where, email):
    where.wait_for_url("**/_idp/google/**")
    where.click("[name=account][value=new]")
    where.fill("[name=new_email]", email)
    where.click("[name=decision][value=approve]")


@case
def a_person_registers_and_signs_in_without_scripts():
    email = address()
    register(plain, email)
    assert "Signed in as Ada" in plain.text_content("header")
    plain.picture("account")
    sign_out(plain)
    says(plain, "You are signed out.")
    assert not plain.is_visible("[data-passkey]")
    sign_in(plain, email, "wrong wrong wrong")
    plain.wait_for_text("[role=alert]", "is wrong")
    plain.fill("[name=password]", PASSWORD)
    plain.click("button.main")
    plain.wait_for_url("**/account")


@case
def a_mail_signs_in_by_code_and_by_link():
    for attempt in range(2):
        begin_signed_out(plain)
        email = address()
        plain.goto(f"{BASE}/signin")
        plain.fill("[name=email]", email)
        plain.click("text=Mail me a code")
        plain.wait_for_url("**/magic-link")
        code, link = mail(email)
        if attempt:
            plain.goto(link)
        else:
            plain.fill("[name=code]", code)
        plain.click("button.main")
        plain.wait_for_url("**/account")
        assert email in plain.text_content("main")


@case
def google_signs_in_and_is_added_and_removed():
    begin_signed_out(plain)
    email, other = address(), address()
    plain.goto(f"{BASE}/signin")
    plain.click("text=Continue with Google")
    at_google(plain, email)
    plain.wait_for_url("**/account")
    assert email in plain.text_content("main")
    sign_out(plain)
    register(plain, other)
    plain.click("[aria-label='Add Google']")
    at_google(plain, other)
    plain.wait_for_url("**/account?notice=methodAdded")
    plain.click("[aria-label='Remove Google']")
    plain.wait_for_url("**/account?notice=methodRemoved")
    assert plain.find("[aria-label='Add Google']")


@case
def an_authenticator_app_is_the_second_step():
    begin_signed_out(plain)
    email = address()
    register(plain, email)
    plain.goto(f"{BASE}/authenticator")
    plain.click("text=Set up an app")
    secret = plain.text_content("main code")
    assert plain.is_visible(".qr svg")
    plain.picture("authenticator")
    plain.fill("[name=code]", one_time_code(secret))
    plain.click("button.main")
    recovery, other = plain.text_content(".codes").split()[:2]
    plain.click("#saved")
    plain.click("text=Continue")
    plain.wait_for_url("**/account?*")
    sign_out(plain)
    sign_in(plain, email)
    plain.wait_for_url("**/second-factor")
    plain.fill("[name=code]", "000000")
    plain.click("button.main")
    plain.wait_for_text("[role=alert]", "wrong")
    plain.fill("[name=code]", other)
    plain.click("button.main")
    plain.wait_for_url("**/account")
    plain.goto(f"{BASE}/authenticator")
    plain.click("summary")
    plain.fill("[name=recoveryCode]", recovery)
    plain.click("details button")
    plain.wait_for_url("**/account?notice=secondFactorOff")


@case
def an_address_and_a_password_are_changed_and_the_account_deleted():
    begin_signed_out(plain)
    email, new = address(), address()
    link = register(plain, email)
    plain.click("[aria-label='Change the e-mail address']")
    plain.wait_for_url("**/email")
    plain.fill("[name=email]", new)
    plain.click("button.main")
    plain.wait_for_url("**/confirm-email")
    plain.fill("[name=code]", mail(new, [link])[0])
    plain.click("button.main")
    plain.wait_for_url("**/account?notice=addressConfirmed")
    assert new in plain.text_content("main")
    plain.goto(f"{BASE}/password")
    plain.fill("[name=currentPassword]", PASSWORD)
    plain.fill("[name=newPassword]", NEW_PASSWORD)
    plain.click("button.main")
    plain.wait_for_url("**/account?notice=passwordSaved")
    plain.click("text=Delete the account")
    plain.wait_for_url("**/delete")
    plain.click("[name=confirm]")
    plain.click("button.main")
    plain.wait_for_url("**/signin?notice=deleted")
    sign_in(plain, new, NEW_PASSWORD)
    plain.wait_for_text("[role=alert]", "is wrong")


@case
def the_pages_are_in_german():
    begin_signed_out(plain)
    email = address()
    register(plain, email)
    plain.goto(f"{BASE}/account?ui_locales=de")
    assert plain.text_content("h1") == "Ihr Konto"
    plain.click("text=Abmelden")
    plain.wait_for_url("**/signin?notice=signedOut&ui_locales=de")
    says(plain, "Sie sind abgemeldet.")
    plain.picture("german")
    plain.fill("[name=email]", email)
    plain.fill("[name=password]", PASSWORD)
    plain.click("button.main")
    plain.wait_for_url("**/account?ui_locales=de")
    assert "Angemeldet als Ada" in plain.text_content("header")


@case
def another_site_can_neither_send_forms_nor_frame_a_page():
    begin_signed_out(plain)
    register(plain, address())
    with foreign_site() as site:
        for name in ("signin", "signout", "revoke-session", "register", "reset", "magic-link"):
            plain.goto(f"{site}/{name}")
            plain.click("button")
            plain.wait_for_url(f"{BASE}/{name}")
            plain.wait_for_text("[role=alert]", "another site")
        plain.goto(f"{BASE}/account")
        assert plain.url == f"{BASE}/account"
        page.goto(f"{site}/frame")
        found = page.app.run(page.tab, """return new Promise((done) => {
            const frame = document.querySelector('iframe');
            setTimeout(() => done(frame.contentDocument?.querySelector('form') ?? null), 300);
        });""")
        assert found is None, found


# WebKitGTK has none.
if NAME == "firefox":
    @case
    def a_passkey_is_added_signs_in_and_is_removed():
        email, pages = address(), f"{SITE}/auth/ui"
        register(page, email, base=pages)
        page.app.add_authenticator(page.tab)
        page.goto(f"{pages}/passkeys")
        page.fill("[data-passkey=add] [name=name]", HOSTILE)
        page.click("text=Add a passkey")
        page.wait_for_url("**/passkeys?notice=passkeyAdded")
        assert HOSTILE in page.text_content("li")
        page.goto(f"{pages}/account")
        page.click("text=Sign out")
        # With the button, or at once by the suggestions for the address.
        eventually(lambda: page.url.endswith("/account")
                   or page.find("text=Sign in with a passkey") or None)
        if not page.url.endswith("/account"):
            page.click("text=Sign in with a passkey")
        page.wait_for_url("**/account")
        assert email in page.text_content("main")
        page.goto(f"{pages}/passkeys")
        page.click("[aria-label^='Remove']")
        page.wait_for_url("**/passkeys?notice=passkeyRemoved")


@case
def a_browser_without_passkeys_signs_in_too():
    begin_signed_out(page)
    email = address()
    register(page, email)
    page.goto(f"{BASE}/passkeys")
    if NAME == "webkit":
        assert not page.is_visible("[data-passkey]")
    page.goto(f"{BASE}/account")
    sign_out(page)
    sign_in(page, email)
    page.wait_for_url("**/account")
    # Out of reach of scripts.
    assert page.app.run(page.tab, "return document.cookie;") == ""


@case
def hostile_text_stays_text():
    begin_signed_out(page)
    register(page, address(), HOSTILE)
    assert HOSTILE in page.text_content("main")
    for name in ("signin", "register", "reset", "account", "add-password", "confirm-email"):
        page.goto(f"{BASE}/{name}?token=x&notice=%3Cimg%20src%3Dx%3E&ui_locales=%3Cimg%3E")
        assert "hacked" not in page.do("title")
        assert not page.find("main img"), name


SHOWN = [
    "account", "passkeys", "password", "email", "authenticator", "devices", "delete", "step-up",
    "signin?notice=signedOut", "register", "reset", "magic-link"]


AXE = AXE_SCRIPT + """;
    const {violations} = await axe.run(document, {resultTypes: ['violations']});
    return violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)]);"""
# No window is as narrow as a phone: a frame, with a copy of the page, which refuses frames.
NARROW = """
    document.body.innerHTML = "<iframe style='border:0;width:320px;height:600px'></iframe>";
    const frame = document.querySelector("iframe");
    await new Promise((done) => {
        frame.onload = done;
        frame.srcdoc = args[0];
    });
    return frame.contentWindow.eval(`(() => { ${args[1]} })()`);"""


@case
def every_page_is_accessible_and_fits_a_phone():
    begin_signed_out(page)
    register(page, address(), "A" * 60)
    shown = {}
    for name in SHOWN:
        page.goto(f"{BASE}/{name}")
        violations = page.app.run(page.tab, AXE)
        assert not violations, (name, violations)
        shown[name] = page.app.run(page.tab, "return document.documentElement.outerHTML;")
    with foreign_site() as site:
        page.goto(f"{site}/signin")
        for name, text in shown.items():
            found = page.app.run(page.tab, NARROW, text, LAYOUT)
            assert found["inner"] == 320, found
            check_layout(found, name)
            page.picture(f"{name.split('?')[0]}-320")


with stack:
    assert APP
    run()
