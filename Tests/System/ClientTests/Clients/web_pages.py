"""Apps at another origin than the server's: Examples/web in Chromium, against `latchkey --listen`
(LATCHKEY, the executable). The emulator's providers sign the ID tokens."""

import json
import pathlib
import re
import tempfile
import urllib.parse

from playwright.sync_api import expect

from browsers import eventually
from judge import APP, case, fetch, run
from page_browser import browser
from people import mint, one_time_code
from store_server import PASSWORD, server
from web_site import ROOT, site

EMAIL = "ada@example.com"
MILLISECONDS_MAX = 120_000
# The beginning of a function of the client's address and options.
CLIENT = """(async ([base, options]) => {
    const {Latchkey} = await import("/latchkey/latchkey.js");
    const auth = new Latchkey(base, options);
"""
GOOGLE = "client.apps.googleusercontent.com"
# Both providers' documented calls, with a button for Google's. Tokens come from `minted`.
SCRIPTS = {
    "https://accounts.google.com/gsi/client": """
        globalThis.google = {accounts: {id: {
            initialize(settings) { this.settings = settings; },
            renderButton(parent, {type}) {
                if (type !== "standard") throw new Error("type is required");
                const button = document.createElement("button");
                button.textContent = "Sign in with Google";
                button.onclick = async () => this.settings.callback({
                    credential: await minted(
                        "google", this.settings.client_id, this.settings.nonce),
                    select_by: "btn"});
                parent.replaceChildren(button);
            },
        }}};""",
    "https://appleid.cdn-apple.com/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js": """
        globalThis.AppleID = {auth: {
            init(settings) { this.settings = settings; },
            async signIn() {
                const {clientId, nonce, usePopup, redirectURI} = this.settings;
                if (!usePopup || !redirectURI.startsWith(location.origin)) throw {error: "invalid"};
                if (globalThis.isClosed) throw {error: "popup_closed_by_user"};
                return {
                    authorization: {code: "c", id_token: await minted("apple", clientId, nonce)},
                    user: {email: "x@example.com", name: {firstName: "Ada", lastName: "Lovelace"}},
                };
            },
        }};""",
}


def minted(provider, client, nonce):
    return mint(provider, {"aud": client, "nonce": nonce, "email": f"{provider}@example.com",
                           "sub": f"{provider}-1"})


def stand_in(script):
    return lambda route: route.fulfill(content_type="text/javascript", body=script)


def says(page, text):
    # Without a function in the page, which its policy would forbid.
    expect(page.locator("output")).to_have_text(text, timeout=MILLISECONDS_MAX)


def finish(page):
    """On the server's page."""
    page.wait_for_url(f"{where.url}/auth/ui/signin*")
    page.fill("[name=email]", EMAIL)
    page.fill("[name=password]", PASSWORD)
    page.click("button.main")


@case
def two_lines_sign_in_by_the_servers_page():
    with browser(to=[app.url, where.url]) as page:
        page.goto(f"{app.url}/")
        says(page, "")
        page.click("button")
        finish(page)
        page.wait_for_url(f"{app.url}/")
        says(page, EMAIL)
        # The code is used once: a reload does not send it again.
        page.reload()
        says(page, EMAIL)
        flows = page.evaluate("Object.keys(localStorage).filter((key) => key.includes('flow'))")
        assert flows == [], flows
        # A callback with an unknown state does not change the session of a signed-in user.
        page.goto(f"{app.url}/?state=guess&code=x")
        page.wait_for_url(f"{app.url}/")
        says(page, EMAIL)
        # The same session in another tab.
        other = page.context.new_page()
        other.goto(f"{app.url}/")
        says(other, EMAIL)


@case
def who_comes_back_without_finishing_is_nobody_and_can_begin_again():
    with browser(to=[app.url, where.url]) as page:
        page.goto(f"{app.url}/")
        page.click("button")
        page.wait_for_url(f"{where.url}/auth/ui/signin*")
        page.go_back()
        says(page, "")
        page.click("button")
        finish(page)
        says(page, EMAIL)


@case
def an_error_and_a_state_of_nobody_are_told_and_leave_the_address_bar():
    with browser(to=[app.url, where.url]) as page:
        for query in ("error=access_denied", "code=x"):
            page.goto(f"{app.url}/?state=guess&{query}&iss={urllib.parse.quote(where.url)}")
            output = page.locator("output")
            expect(output).to_contain_text("Begin again", timeout=MILLISECONDS_MAX)
            assert page.url == f"{app.url}/", page.url


@case
def of_two_tabs_the_one_that_finishes_is_signed_in():
    with browser(to=[app.url, where.url]) as page:
        other = page.context.new_page()
        for tab in (page, other):
            tab.goto(f"{app.url}/")
            tab.click("button")
            tab.wait_for_url(f"{where.url}/auth/ui/signin*")
        # The server keeps the way back of the tab that began last.
        finish(page)
        says(page, EMAIL)


@case
def a_registration_ends_in_the_tab_of_its_mails_link():
    email = "grace@example.com"
    with browser(to=[app.url, where.url]) as page:
        page.goto(f"{app.url}/blank.html")
        page.evaluate(CLIENT + "auth.signInWithPage({page: 'register'}); })", [where.url, {}])
        page.wait_for_url(f"{where.url}/auth/ui/register*")
        page.fill("[name=email]", email)
        page.fill("[name=newPassword]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/verify-email")
        other = page.context.new_page()
        other.goto(where.link(email))
        # In the browser that registered, opening the link is enough.
        other.wait_for_url(f"{app.url}/blank.html?*")
        user = other.evaluate(CLIENT + "return auth.signedInWithPage(); })", [where.url, {}])
        assert user["email"] == email, user
        assert other.url == f"{app.url}/blank.html", other.url


@case
def with_dpop_the_session_is_bound():
    options = [where.url, {"dpop": True, "store": "localStorage"}]
    with browser(to=[app.url, where.url]) as page:
        page.goto(f"{app.url}/blank.html")
        page.evaluate(CLIENT + "auth.signInWithPage(); })", options)
        finish(page)
        page.wait_for_url(f"{app.url}/blank.html?*")
        answer = page.evaluate(CLIENT + """
            await auth.signedInWithPage();
            const stored = Object.values(localStorage).find((text) => text.includes("session"));
            return [JSON.parse(stored).session.tokenType, await auth.call("GET", "/auth/me")]; })
            """, options)
        assert answer[0] == "DPoP" and answer[1]["email"] == EMAIL, answer


@case
def the_buttons_of_google_and_apple_sign_in():
    with browser(to=[app.url, where.url, *SCRIPTS]) as page:
        for url, script in SCRIPTS.items():
            page.route(url, stand_in(script))
        page.expose_function("minted", minted)
        page.goto(f"{app.url}/buttons.html")
        page.click("text=Sign in with Google")
        says(page, "google@example.com")
        # The nonce was used; the page has another one.
        page.click("text=Sign in with Apple")
        says(page, "apple@example.com")
        session = json.loads(page.evaluate(f"localStorage['latchkey {where.url}']"))["session"]
        assert session["user"]["displayName"] == "Ada Lovelace", session["user"]
        page.evaluate("globalThis.isClosed = true")
        page.click("text=Sign in with Apple")
        says(page, "popup_closed_by_user")
        # Without a script of theirs.
        page.click("#page")
        page.wait_for_url(f"{where.url}/auth/ui/signin*")


@case
def a_form_of_ones_own_has_every_method():
    email, changed = "form@example.com", "another horse battery"
    with browser(to=[app.url, where.url]) as page:
        devtools = page.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable", {"enableUI": False})
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True}})
        page.goto(f"{app.url}/form.html")

        def press(value, **fields):
            for name, text in fields.items():
                page.fill(f"form:not([hidden]) [name={name}]", text)
            page.click(f"button[value={value}]")

        def mailed(known=()):
            says(page, "If the address can be used, a mail with a code is on its way.")
            return where.code(email, known)

        press("signIn", email=email, password="wrong")
        expect(page.locator("output")).to_contain_text("password", timeout=MILLISECONDS_MAX)
        press("register", password=PASSWORD)
        codes = [mailed()]
        press("finish", code=codes[0])
        says(page, email)
        press("addPasskey")
        says(page, "The passkey was added.")
        press("signOut")
        assert page.input_value("[name=entry] [name=password]") == ""
        press("passkey")
        says(page, email)
        press("signOut")
        press("mail", email=email)
        codes.append(mailed(codes))
        press("finish", code=codes[1])
        says(page, email)
        press("signOut")
        press("reset", email=email)
        press("finish", code=mailed(codes), password=changed)
        says(page, email)
        secret = page.evaluate(CLIENT + """
            await auth.restore();
            globalThis.auth = auth;
            return (await auth.call("POST", "/auth/totp")).secret; })""",
            [where.url, {"store": "localStorage"}])
        page.evaluate("(code) => auth.call('POST', '/auth/totp/confirm', {code})",
                      one_time_code(secret))
        page.reload()
        says(page, email)
        press("signOut")
        press("signIn", email=email, password=changed)
        says(page, "The code of your authenticator app:")
        press("finish", code=one_time_code(secret, 1))
        says(page, email)


@case
def a_page_learns_why_there_is_no_answer():
    with browser(to=[app.url, where.url]) as page:
        page.goto(f"{app.url}/")
        found = code(page, where.url, "register")
        assert found == "INVALID_REQUEST", found
        found = code(page, f"{where.url}/nothing", "register")
        assert found == "NOT_FOUND", found
    stranger = f"http://127.0.0.1:{app.server.server_port}"
    with browser(to=[stranger, where.url]) as page:
        page.goto(f"{stranger}/")
        found = code(page, where.url, "register")
        assert found == "ORIGIN_REFUSED", found
        page.context.set_offline(True)
        found = page.evaluate("guest()")
        assert found == "OFFLINE", found


@case
def the_import_map_of_the_documents_admits_these_modules_and_no_others():
    text = (ROOT / "docs/web-client.md").read_text()
    wanted = re.search(r'<script type="importmap">(.*?)</script>', text, re.DOTALL)[1]
    wanted = wanted.replace("https://cdn.example.com", app.url)
    for changed, admitted in [("", "WRONG_STATE"), ("latchkey.js", None),
                              ("latchkey-redirects.js", "OFFLINE")]:
        found = wanted
        if changed:
            found = re.sub(rf'(/{changed}": "sha384-).', r"\1=", wanted)
            assert found != wanted
        with browser(to=[app.url, where.url]) as page:
            page.goto(f"{app.url}/blank.html")
            answer = page.evaluate("""async ([map, base]) => {
                const script = document.createElement("script");
                script.type = "importmap";
                script.textContent = map;
                document.head.append(script);
                const {Latchkey} = await import("latchkey").catch(() => ({}));
                return Latchkey && await new Latchkey(base).signedInWithPage(
                    "https://app.example.com/?state=x&code=y").catch(({code}) => code);
            }""", [found, where.url])
            assert answer == admitted, (changed, answer)


def code(page, base, method):
    return page.evaluate("""async ([base, method]) => {
        const {Latchkey} = await import("/latchkey/latchkey.js");
        const auth = new Latchkey(base);
        globalThis.guest = () => auth.guest().catch(({code}) => code);
        return auth[method]({email: "", password: "x"}).then(
            () => "none", (error) => error.code);
    }""", [base, method])


with tempfile.TemporaryDirectory() as folder, site() as app:
    keys = {}
    for provider in ("google", "apple"):
        keys[provider] = pathlib.Path(folder) / f"{provider}.json"
        discovery = json.loads(fetch(
            "GET", f"{APP}/_idp/{provider}/.well-known/openid-configuration")[2])
        keys[provider].write_bytes(fetch("GET", discovery["jwks_uri"])[2])
        keys[provider, "issuer"] = discovery["issuer"]
    with server(
            ALLOWED_ORIGINS=app.url, DPOP="optional", PASSKEY_ORIGINS=app.url,
            UI_RETURN=",".join(f"{app.url}/{page}" for page in ("", "buttons.html", "blank.html")),
            GOOGLE_CLIENT_IDS=GOOGLE, APPLE_CLIENT_IDS="com.example.web",
            GOOGLE_ISSUER=keys["google", "issuer"], GOOGLE_JWKS_FILE=str(keys["google"]),
            APPLE_ISSUER=keys["apple", "issuer"], APPLE_JWKS_FILE=str(keys["apple"])) as where:
        app.replaced = {
            "https://auth.example.com": where.url, "https://app.example.com": app.url}
        eventually(lambda: where.registered(EMAIL))
        run()
