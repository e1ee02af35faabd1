"""The page of devices, a trusted browser, and the confirmation of an address, in Chromium without
scripts. With SCREENSHOTS, a folder, it keeps pictures."""

from judge import APP, case, run
from page_browser import browser, check_page, picture, says, turn_on
from page_steps import BASE, address, mail, register, sign_in
from people import one_time_code, sign_in as api_sign_in


@case
def a_browser_is_trusted_until_another_one_forgets_it():
    email = address()
    with browser(java_script_enabled=False) as page, browser(
            user_agent="Firefox/140.0 (X11; Linux)", java_script_enabled=False) as other:
        register(page, email)
        secret, codes = turn_on(page)
        sign_in(other, email)
        other.click("summary")
        other.fill("[name=recoveryCode]", codes[0])
        other.click("details button")
        other.wait_for_url("**/account")
        page.click("text=Devices")
        picture(page, "devices", "untrusted")
        check_page(page, "devices")
        # A code that has expired.
        page.fill("[name=code]", one_time_code(secret, ahead=-4))
        page.click("button.main")
        assert page.get_attribute("[name=code]", "aria-invalid") == "true"
        picture(page, "devices", "wrong")
        page.fill("[name=code]", one_time_code(secret, ahead=1))
        page.click("button.main")
        page.wait_for_url("**/devices?notice=browserTrusted")
        says(page, "This browser is trusted.")
        assert "Trusted until" in page.text_content("li:has(.tag)")
        picture(page, "devices", "trusted")
        for _ in range(2):
            page.goto(f"{BASE}/account")
            page.click("form[action=signout] button")
            page.wait_for_url("**/signin?notice=signedOut")
            sign_in(page, email)
            page.wait_for_url("**/account")
        other.goto(f"{BASE}/devices?ui_locales=de")
        picture(other, "devices", "german")
        other.click("[aria-label='Chrome, Linux vergessen']")
        other.wait_for_url("**/devices?notice=revoked&ui_locales=de")
        page.reload()
        page.wait_for_url("**/signin")
        sign_in(page, email)
        page.wait_for_url("**/second-factor")
        # Here, too.
        other.click("li button")
        other.wait_for_url("**/signin?notice=signedOut&ui_locales=de")


@case
def an_unconfirmed_address_is_confirmed():
    email = address()
    session = api_sign_in("google", email=email, claims={"email_verified": False})
    with browser(java_script_enabled=False) as page:
        page.context.add_cookies([{
            "name": "latchkey", "url": APP,
            "value": f"{session['refreshToken']}~{session['accessToken']}"}])
        page.goto(f"{BASE}/account")
        assert "not confirmed" in page.text_content("main")
        picture(page, "account", "unconfirmed")
        page.click("[aria-label='Confirm your address']")
        page.wait_for_url("**/confirm-address")
        picture(page, "confirm-address", "light")
        check_page(page, "confirm-address")
        page.click("button.main")
        page.wait_for_url("**/confirm-email")
        page.fill("[name=code]", mail(email)[0])
        page.click("button.main")
        page.wait_for_url("**/account?notice=addressConfirmed")
        assert "not confirmed" not in page.text_content("main")


run()
