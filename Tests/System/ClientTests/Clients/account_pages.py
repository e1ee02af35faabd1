"""The pages of a signed-in user in Chromium: passkeys with a virtual authenticator, and all changes
of the account without scripts. With SCREENSHOTS, a folder, it keeps pictures of each page."""

import json
import re
import urllib.request

from accessibility import COLOURS, WORDS, check_axe
from judge import APP, case, run
from page_browser import browser, check_page, picture, says, turn_on
from page_steps import (
    BASE, HOSTILE, NEW_PASSWORD, SITE, address, mail, register, sign_in)
from people import PASSWORD

PAGES = f"{SITE}/auth/ui"
# The virtual authenticator would answer them at once.
WITHOUT_SUGGESTIONS = """
PublicKeyCredential.isConditionalMediationAvailable = async () => false;
"""


# Signals to the password manager are kept, too.
SPY = """
globalThis.told = [];
for (const name of [
    "signalAllAcceptedCredentials", "signalCurrentUserDetails", "signalUnknownCredential"]) {
    const own = PublicKeyCredential[name];
    PublicKeyCredential[name] = (known) => {
        told.push([name, known]);
        return own.call(PublicKeyCredential, known);
    };
}
"""
WITHOUT_SIGNALS = """
for (const name of [
    "signalAllAcceptedCredentials", "signalCurrentUserDetails", "signalUnknownCredential"]) {
    delete PublicKeyCredential[name];
}
"""


def authenticator(page, **options):
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable", {"enableUI": False})
    made = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal",
        "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
        "automaticPresenceSimulation": True} | options})
    return devtools, made["authenticatorId"]


def unpadded(text):
    """base64 as base64url."""
    return text.rstrip("=").replace("+", "-").replace("/", "_")


def kept(devtools, authenticator):
    """The passkeys that the authenticator has."""
    return devtools.send(
        "WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]


def gives_up(page, devtools, authenticator):
    """Chromium's authenticator removes a passkey on a signal."""
    for _ in range(100):
        if not kept(devtools, authenticator):
            return
        page.wait_for_timeout(20)
    raise AssertionError(kept(devtools, authenticator))


def told(page):
    """The page's signals to the password manager, by the method's name."""
    return dict(page.evaluate("told"))


def register_here(page, email):
    """At the address with a domain."""
    register(page, email, base=PAGES)


def asks_again(page, name):
    """Opens the page that the server shows ten minutes after a sign-in, without the wait."""
    page.context.add_cookies([{"name": "latchkey-next", "value": name, "url": page.url}])
    page.goto(page.url.rsplit("/", 1)[0] + "/step-up")


def add_passkey(page, name):
    page.goto(f"{PAGES}/passkeys")
    page.fill("[data-passkey=add] [name=name]", name)
    page.click("text=Add a passkey")
    page.wait_for_url("**/passkeys?notice=passkeyAdded")


@case
def a_page_at_an_ip_address_leads_to_the_name_that_has_passkeys():
    with browser() as page:
        page.add_init_script(WITHOUT_SUGGESTIONS)
        authenticator(page)
        page.goto(f"{BASE}/signin")
        assert not page.query_selector("[data-passkey]")
        page.click("text=Sign in with a passkey, at localhost:")
        page.wait_for_url(f"{PAGES}/signin")
        page.wait_for_selector("button:has-text('Sign in with a passkey')")


@case
def a_passkey_is_added_signs_in_and_is_removed():
    email = address()
    with browser() as page:
        # An authenticator that knows of a removal would not offer the passkey.
        page.add_init_script(WITHOUT_SIGNALS)
        register_here(page, email)
        authenticator(page)
        add_passkey(page, "My phone")
        says(page, "The passkey is added.")
        picture(page, "passkeys", "light")
        check_page(page, "passkeys")
        # The authenticator that has one makes no second.
        page.click("text=Add a passkey")
        page.wait_for_selector("text=already has a passkey")

        # With the suggestions for the address, and with the button.
        page.goto(f"{PAGES}/account")
        page.click("text=Sign out")
        page.wait_for_url("**/account")
        assert email in page.text_content("main")
        page.add_init_script(WITHOUT_SUGGESTIONS)
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        picture(page, "signin", "passkey")
        page.click("text=Sign in with a passkey")
        page.wait_for_url("**/account")

        page.goto(f"{PAGES}/passkeys")
        page.click("summary:has-text('Rename')")
        page.fill("li [name=name]", HOSTILE)
        page.click("li details button")
        page.wait_for_url("**/passkeys?notice=passkeyRenamed")
        assert HOSTILE in page.text_content("li") and not page.query_selector("main img")
        page.click("li > form button")
        page.wait_for_url("**/passkeys?notice=passkeyRemoved")
        assert "no passkey yet" in page.text_content("main")

        # A removed passkey is refused.
        page.goto(f"{PAGES}/account")
        page.click("text=Sign out")
        page.click("text=Sign in with a passkey")
        page.wait_for_selector("[role=alert]:has-text('passkey was not accepted')")


@case
def the_password_manager_learns_which_passkeys_the_account_has():
    email = address()
    with browser() as page:
        page.add_init_script(SPY)
        register_here(page, email)
        devtools, first = authenticator(page)
        page.goto(f"{PAGES}/passkeys")
        assert not told(page), told(page)
        add_passkey(page, "My phone")
        one = kept(devtools, first)[0]
        found = told(page)
        all_known = found["signalAllAcceptedCredentials"]
        assert all_known["rpId"] == "localhost", found
        assert unpadded(one["userHandle"]) == all_known["userId"], (one, found)
        accepted = all_known["allAcceptedCredentialIds"]
        assert accepted == [unpadded(one["credentialId"])], (one, found)
        assert found["signalCurrentUserDetails"] == {
            "rpId": "localhost", "userId": all_known["userId"], "name": email,
            "displayName": "Ada"}, found

        page.click("summary:has-text('Rename')")
        page.fill("li [name=name]", "Desk")
        page.click("li details button")
        page.wait_for_url("**/passkeys?notice=passkeyRenamed")
        assert told(page) == found, told(page)
        assert len(kept(devtools, first)) == 1

        page.click("li > form button")
        page.wait_for_url("**/passkeys?notice=passkeyRemoved")
        # The page's policy forbids functions that wait in it.
        for _ in range(1200):
            if page.evaluate("told.length") == 2:
                break
            page.wait_for_timeout(50)
        all_known = told(page)["signalAllAcceptedCredentials"]
        assert all_known["allAcceptedCredentialIds"] == [], all_known
        gives_up(page, devtools, first)

        # A password manager that has missed that offers the passkey; the sign-in page signals its
        # removal.
        devtools.send("WebAuthn.addCredential", {"authenticatorId": first, "credential": one})
        page.add_init_script(WITHOUT_SUGGESTIONS)
        page.goto(f"{PAGES}/account")
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        assert not told(page), told(page)
        page.click("text=Sign in with a passkey")
        page.wait_for_selector("[role=alert]:has-text('passkey was not accepted')")
        assert told(page) == {"signalUnknownCredential": {
            "rpId": "localhost", "credentialId": unpadded(one["credentialId"])}}, told(page)
        gives_up(page, devtools, first)


@case
def a_known_passkey_that_is_refused_stays_in_the_password_manager():
    with browser() as page:
        page.add_init_script(SPY)
        register_here(page, address())
        devtools, first = authenticator(page)
        add_passkey(page, "My phone")
        one = kept(devtools, first)[0]
        page.add_init_script(WITHOUT_SUGGESTIONS)
        page.goto(f"{PAGES}/account")
        page.click("text=Sign out")
        page.wait_for_url("**/signin?notice=signedOut")
        # Another user's credential: the authenticator signs with it, and the server refuses it.
        devtools.send("WebAuthn.removeCredential", {
            "authenticatorId": first, "credentialId": one["credentialId"]})
        devtools.send("WebAuthn.addCredential", {
            "authenticatorId": first, "credential": one | {"userHandle": "AAAA"}})
        page.click("text=Sign in with a passkey")
        page.wait_for_selector("[role=alert]:has-text('passkey was not accepted')")
        assert not told(page), told(page)
        assert len(kept(devtools, first)) == 1


@case
def the_second_step_is_turned_on_and_off_without_scripts():
    email = address()
    with browser(java_script_enabled=False) as page:
        register(page, email)
        _, codes = turn_on(page)
        page.click("text=Sign out")
        sign_in(page, email)
        page.wait_for_url("**/second-factor")
        page.click("summary")
        page.fill("[name=recoveryCode]", codes[0])
        page.click("details button")
        page.wait_for_url("**/account")
        page.click("[aria-label='Set up the second factor']")
        page.wait_for_url("**/authenticator")
        picture(page, "authenticator", "on")
        page.click("summary")
        page.fill("[name=recoveryCode]", codes[0])
        page.click("details button")
        assert page.get_attribute("[name=recoveryCode]", "aria-invalid") == "true"
        page.fill("[name=recoveryCode]", codes[1])
        page.click("details button")
        page.wait_for_url("**/account?notice=secondFactorOff")


@case
def a_passkey_is_the_second_step_and_steps_up():
    email = address()
    with browser() as page:
        authenticator(page)
        register_here(page, email)
        add_passkey(page, "Key")
        turn_on(page, PAGES)
        page.context.clear_cookies()
        page.add_init_script(WITHOUT_SUGGESTIONS)
        page.goto(f"{PAGES}/signin")
        page.fill("[name=email]", email)
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/second-factor")
        picture(page, "second-factor", "passkey")
        page.click("text=Confirm with a passkey")
        page.wait_for_url("**/account")
        asks_again(page, "email")
        picture(page, "step-up", "passkey")
        page.click("text=Confirm with a passkey")
        page.wait_for_url("**/email")


@case
def a_password_is_changed_and_other_browsers_are_signed_out():
    email = address()
    with browser(java_script_enabled=False) as page, browser() as other:
        register(page, email)
        sign_in(other, email)
        other.wait_for_url("**/account")
        page.click("li a:has-text('Password')")
        page.fill("[name=currentPassword]", "wrong wrong wrong")
        page.fill("[name=newPassword]", NEW_PASSWORD)
        page.click("button.main")
        assert page.get_attribute("[name=currentPassword]", "aria-invalid") == "true"
        picture(page, "password", "wrong")
        page.fill("[name=currentPassword]", PASSWORD)
        page.fill("[name=newPassword]", "short")
        page.click("button.main")
        assert page.get_attribute("[name=newPassword]", "aria-invalid") == "true"
        page.fill("[name=currentPassword]", PASSWORD)
        page.fill("[name=newPassword]", NEW_PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/account?notice=passwordSaved")
        other.reload()
        other.wait_for_url("**/signin")
        page.click("text=Sign out")
        sign_in(page, email, NEW_PASSWORD)
        page.wait_for_url("**/account")


@case
def an_address_is_changed_and_the_account_deleted():
    email, new = address(), address()
    with browser(java_script_enabled=False) as page:
        link = register(page, email)
        page.click("[aria-label='Change the e-mail address']")
        page.wait_for_url("**/email")
        asks_again(page, "email")
        check_page(page, "step-up")
        page.fill("[name=currentPassword]", "wrong wrong wrong")
        page.click("button.main")
        assert page.get_attribute("[name=currentPassword]", "aria-invalid") == "true"
        picture(page, "step-up", "wrong")
        page.fill("[name=currentPassword]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/email")
        picture(page, "email", "light")
        page.fill("[name=email]", new)
        page.click("button.main")
        page.wait_for_url("**/confirm-email")
        page.fill("[name=code]", mail(new, [link])[0])
        page.click("button.main")
        page.wait_for_url("**/account?notice=addressConfirmed")
        assert new in page.text_content("main")

        page.click("text=Delete the account")
        page.wait_for_url("**/delete")
        picture(page, "delete", "light")
        check_page(page, "delete")
        page.check("[name=confirm]")
        page.click("button.main")
        page.wait_for_url("**/signin?notice=deleted")
        sign_in(page, new)
        assert "is wrong" in page.text_content("[role=alert]")


@case
def a_person_who_is_signed_out_continues_after_the_sign_in():
    email = address()
    with browser(java_script_enabled=False) as page:
        register(page, email)
        page.click("text=Sign out")
        page.goto(f"{BASE}/password")
        page.wait_for_url("**/signin")
        page.fill("[name=email]", email)
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/password")


@case
def the_data_can_be_downloaded():
    email = address()
    with browser(java_script_enabled=False) as page:
        register(page, email)
        with page.expect_download() as download:
            page.click("text=Download your data")
        assert download.value.suggested_filename == "account.json"
        with open(download.value.path(), encoding="utf-8") as file:
            assert json.load(file)["account"]["email"] == email


@case
def google_is_added_and_removed_again():
    email = address()
    with browser(java_script_enabled=False) as page:
        page.goto(f"{BASE}/signin")
        page.click("text=Continue with Google")
        page.wait_for_url("**/_idp/google/**")
        page.check("[name=account][value=new]", force=True)
        page.fill("[name=new_email]", email)
        page.click("[name=decision][value=approve]")
        page.wait_for_url("**/account")
        assert page.locator("li button:has-text('Remove')").count() == 0
        # The address is Google's: a password needs no mail.
        page.click("text=Add a password")
        page.wait_for_url("**/password")
        picture(page, "password", "new")
        page.fill("[name=newPassword]", NEW_PASSWORD)
        page.click("button.main")
        page.wait_for_url(re.compile("account\\?notice=passwordAdded|add-password"))
        if "add-password" in page.url:
            page.fill("[name=code]", mail(email)[0])
            page.click("button.main")
            page.wait_for_url("**/account?notice=passwordAdded")
        page.click("[aria-label='Remove Google']")
        page.wait_for_url("**/account?notice=methodRemoved")
        assert page.locator("[aria-label='Add Google']").count() == 1
        picture(page, "account", "password")


SHOWN = [
    "account", "passkeys", "password", "email", "authenticator", "devices", "delete", "step-up",
    "signin?notice=signedOut", "register", "reset", "magic-link"]


@case
def every_page_is_accessible_and_fits_a_small_screen():
    email = address()
    with browser() as page:
        authenticator(page)
        register_here(page, email)
        add_passkey(page, HOSTILE + "W" * 40)
        state = page.context.storage_state()["cookies"]
    for settings, rules in [
        ({"color_scheme": "light"}, None), ({"color_scheme": "dark"}, COLOURS),
        ({"forced_colors": "active"}, COLOURS),
        ({"locale": "de-DE", "reduced_motion": "reduce"}, WORDS),
    ]:
        with browser(viewport={"width": 320, "height": 640}, bypass_csp=True, **settings) as page:
            page.context.add_cookies(state)
            for name in SHOWN:
                page.goto(f"{PAGES}/{name}")
                picture(page, name, "-".join(map(str, settings.values())) + "-320")
                check_page(page, name)
                check_axe(page, name, rules)
            page.goto(f"{PAGES}/passkeys")
            page.click("summary")
            check_page(page, "passkeys")
            check_axe(page, "passkeys, opened", rules)
            page.goto(f"{PAGES}/authenticator")
            page.click("button.main")
            picture(page, "authenticator-begun", "-".join(map(str, settings.values())) + "-320")
            check_page(page, "authenticator, begun")
            check_axe(page, "authenticator, begun", rules)
            page.fill("[name=code]", "000000")
            page.click("button.main")
            check_axe(page, "authenticator, wrong code", rules)
    # The width of a 640-pixel window at 200 %.
    with browser(viewport={"width": 320, "height": 256}, device_scale_factor=2) as page:
        page.context.add_cookies(state)
        for name in SHOWN:
            page.goto(f"{PAGES}/{name}")
            check_page(page, name)


@case
def the_script_is_kept_and_small():
    with urllib.request.urlopen(f"{BASE}/signin") as answer:
        path = re.search(r'<script src="([^"]+)"', answer.read().decode())[1]
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy, policy
    with urllib.request.urlopen(f"{BASE}/{path}") as answer:
        assert len(answer.read()) < 6000
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"


assert APP
run()
