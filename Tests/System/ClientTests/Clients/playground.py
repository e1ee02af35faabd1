"""The playground in a browser (BROWSER): what a newcomer clicks on, on two devices."""

import json
import time
import urllib.parse

import playground_factors  # noqa: F401
import playground_others  # noqa: F401
from browsers import browser
from judge import case, run
from people import PASSWORD, password_account
from playground_page import (
    HOSTILE, NAME, PAGE, Playground, address, eventually, mail, mailed_link, traced)


@case
def a_newcomer_signs_in_with_apple_in_ten_seconds():
    with browser(NAME) as app:
        playground = Playground(app)
        start = time.monotonic()
        says = playground.sign_in("phone", "apple")
        assert time.monotonic() - start < 10
        assert says in ("A new account.", "Welcome."), says
        assert playground.who("phone") == "Ada Lovelace", playground.who("phone")
        assert playground.who("laptop") == "Signed out"
        url = app.run(playground.tab, "return location.href;")
        assert url == PAGE + "/", url
        # The request leads to its trace.
        [trace] = playground.traces("phone")
        found = traced(trace)
        assert "/auth/signin" in json.dumps(found), found
        # It survives a reload.
        playground.reload()
        eventually(lambda: playground.who("phone") == "Ada Lovelace" or None)


@case
def google_signs_in_with_code_and_pkce():
    with browser(NAME) as app:
        playground = Playground(app)
        email = address()
        assert playground.sign_in("laptop", "google", email, "Grace") == "A new account."
        assert playground.who("laptop") == "Grace", playground.who("laptop")
        assert playground.who("phone") == "Signed out"


@case
def the_servers_page_leads_back_to_the_device():
    with browser(NAME) as app:
        playground = Playground(app)
        email = password_account()[0]
        playground.press("laptop", "page")
        eventually(lambda: app.run(
            playground.tab, "return location.pathname === '/auth/ui/signin'"
            " && Boolean(document.querySelector('button.main')) || null;"))
        app.run(playground.tab, """
            document.querySelector('[name=email]').value = args[0];
            document.querySelector('[name=password]').value = args[1];
            document.querySelector('button.main').click();""", email, PASSWORD)
        eventually(lambda: playground.who("laptop") == email or None)
        assert playground.says("laptop") == f"Welcome, {email}.", playground.says("laptop")
        assert playground.who("phone") == "Signed out"
        assert app.run(playground.tab, "return location.href;") == PAGE + "/"


@case
def apple_and_google_sign_in_on_the_servers_page_without_their_scripts():
    for provider, name in ("Apple", "Ada"), ("Google", "Grace"):
        with browser(NAME) as app:
            playground = Playground(app)
            playground.press("phone", "page")
            eventually(lambda provider=provider: app.run(playground.tab, f"""
                const button = [...document.querySelectorAll("button")]
                    .find(({{textContent}}) => textContent.includes("{provider}"));
                if (location.pathname !== "/auth/ui/signin" || !button) return null;
                button.click();
                return true;"""))
            playground.choose(address(), name)
            eventually(lambda name=name: playground.who("phone") == name or None)


@case
def a_provider_that_declines_is_an_error_that_can_be_read():
    with browser(NAME) as app:
        playground = Playground(app)
        for provider, code in ("apple", "AUTHORIZATION_FAILED"), ("google", "AUTHORIZATION_FAILED"):
            playground.press("phone", provider)
            playground.on_page("[value=cancel]")
            app.run(playground.tab, "document.querySelector('[value=cancel]').click();")
            eventually(lambda: playground.who("phone"))
            says = playground.says("phone")
            assert says.startswith(code), says
            assert playground.who("phone") == "Signed out"


@case
def an_answer_to_nobodys_request_is_refused():
    with browser(NAME) as app:
        playground = Playground(app)
        for place in "/phone#state=guess&id_token=x", "/phone?state=guess&code=x":
            tab = playground.opened(PAGE + place)
            says = playground.says("phone", tab)
            assert says.startswith("WRONG_STATE"), says
            assert app.run(tab, "return location.href;") == PAGE + "/"


@case
def a_guest_refreshes_in_every_way():
    with browser(NAME) as app:
        playground = Playground(app)
        playground.does("phone", "guest")
        assert playground.who("phone") == "A guest"
        playground.does("phone", "me")
        assert playground.statuses("phone") == [200]
        says = playground.does("phone", "refresh")
        assert playground.statuses("phone") == [200], says
        says = playground.does("phone", "refreshTwice")
        assert says.startswith("Both got the same"), says
        assert playground.statuses("phone") == [200, 200]
        assert len(set(playground.traces("phone"))) == 2
        assert playground.who("phone") == "A guest"
        # Reuse of a token that was replaced twice ends the session.
        says = playground.does("phone", "oldToken")
        assert "INVALID_REFRESH_TOKEN" in says and "is over" in says, says
        assert playground.statuses("phone")[:3] == [200, 200, 401]
        eventually(lambda: playground.who("phone") == "Signed out" or None)


@case
def two_panes_are_two_devices():
    with browser(NAME) as app:
        playground = Playground(app)
        email = address()
        for device in "phone", "laptop":
            playground.sign_in(device, "apple", email, "Ada")
        assert playground.does("phone", "sessions") == "2 sessions."
        assert playground.does("phone", "signOutElsewhere") == "1 session."
        playground.does("laptop", "refresh")
        assert playground.statuses("laptop")[0] == 401
        assert playground.who("phone") == "Ada"
        eventually(lambda: playground.does("laptop", "me") and playground.who("laptop")
                   == "Signed out" or None)
        # End one by its button.
        playground.sign_in("laptop", "apple", email, "Ada")
        assert playground.does("phone", "sessions") == "2 sessions."
        playground.ask("phone", "find('tbody button').click();")
        assert playground.says("phone") == "1 session.", playground.says("phone")
        assert playground.does("phone", "signOut").startswith("Here and at the server")
        assert playground.who("phone") == "Signed out"


@case
def mails_sign_in_by_code_and_by_link():
    with browser(NAME) as app:
        playground = Playground(app)
        email = address()
        playground.does("phone", "register", email=email, password=PASSWORD)
        assert app.run(playground.tab, "return document.activeElement.name;") == "code"
        says = playground.does("phone", "finish", code=mail(email), password=PASSWORD)
        assert says == "Welcome.", says
        assert playground.who("phone") == email
        playground.does("phone", "signOut")
        says = playground.does("phone", "logIn", email=email, password="wrong " + PASSWORD)
        assert says.startswith("INVALID_CREDENTIALS"), says
        playground.does("phone", "logIn", email=email, password=PASSWORD)
        assert playground.who("phone") == email
        # The link, in a tab of its own, signs the device in that asked for it.
        other = address()
        playground.does("laptop", "link", email=other)
        link = mailed_link(other)
        assert link.startswith(f"{PAGE}/magic-link?token="), link
        tab = playground.opened(link)
        eventually(lambda: playground.who("laptop", tab) == other or None)
        assert app.run(tab, "return location.href;") == PAGE + "/"
        eventually(lambda: playground.who("laptop") == other or None)
        assert playground.who("phone") == email


# WebKit has none; Web/latchkey.js is tested there with an authenticator of the page.
if NAME != "webkit":
    @case
    def passkeys_sign_up_and_in():
        with browser(NAME) as app:
            playground = Playground(app)
            app.add_authenticator(playground.tab)
            playground.does("phone", "newPasskey")
            assert playground.who("phone") == "Ada", playground.says("phone")
            playground.does("laptop", "passkey")
            assert playground.who("laptop") == "Ada", playground.says("laptop")


@case
def photos_are_stored_and_foreign_folders_refused():
    with browser(NAME) as app:
        playground = Playground(app)
        playground.sign_in("phone", "google", address(), "Grace")
        says = playground.does("phone", "samplePhoto")
        assert "as S3 gives it back" in says, says
        assert playground.statuses("phone") == [200, 200, 200]
        size = eventually(lambda: playground.ask(
            "phone", "return find('.photos img').naturalWidth || null;"))
        assert size == 320, size
        assert len(playground.traces("phone")) == 3
        found = traced(playground.traces("phone")[1])
        assert "s3" in json.dumps(found), found
        says = playground.does("phone", "foreignPhoto")
        assert says.startswith("Refused by S3"), says
        assert playground.statuses("phone") == [403]


@case
def hostile_text_stays_text():
    with browser(NAME) as app:
        playground = Playground(app)
        app.run(playground.tab, """window.reports = [];
            addEventListener('securitypolicyviolation', (event) => reports.push(event.blockedURI));
            """)
        playground.sign_in("phone", "apple", address(), HOSTILE[:64])
        assert playground.who("phone") == HOSTILE[:64], playground.who("phone")
        playground.ask("phone", """
            const files = new DataTransfer();
            files.items.add(new File(['x'], args[1], {type: 'image/png'}));
            const input = find('[type=file]');
            input.files = files.files;
            input.dispatchEvent(new Event('change'));""", HOSTILE)
        says = playground.says("phone")
        assert HOSTILE in says, says
        assert playground.ask("phone", "return find('.photos span').textContent;") == HOSTILE
        shown = app.run(playground.tab, """return [
            document.title, document.querySelectorAll('[onerror]').length,
            document.querySelectorAll('section b').length];""")
        assert shown == ["Playground", 0, 0], shown


@case
def no_secret_is_on_the_page():
    with browser(NAME) as app:
        playground = Playground(app)
        playground.does("phone", "guest")
        playground.does("phone", "refreshTwice")
        playground.sign_in("laptop", "google", address(), "Grace")
        playground.does("laptop", "samplePhoto")
        secrets = app.run(playground.tab, """
            const text = document.body.textContent + JSON.stringify(sessionStorage);
            return ['phone', 'laptop'].flatMap((device) => Object.entries(localStorage)
                .filter(([key]) => key.startsWith(`${device} latchkey`))
                .map(([, value]) => JSON.parse(value).session)
                .flatMap(({accessToken, refreshToken}) => [accessToken, refreshToken]))
                .map((secret) => [secret.length > 40, text.includes(secret)]);""")
        assert secrets == [[True, False]] * 4, secrets


if NAME == "chromium":
    @case
    def every_page_stays_on_this_machine():
        with browser(NAME) as app:
            hosts, problems = set(), []
            app.context.on(
                "request", lambda request: hosts.add(urllib.parse.urlsplit(request.url).hostname))
            app.context.on("weberror", lambda error: problems.append(str(error.error)))
            playground = Playground(app)
            playground.sign_in("phone", "apple", address(), "Ada")
            playground.does("phone", "samplePhoto")
            # A blob: URL has no host.
            assert hosts <= {"localhost", "127.0.0.1", None}, hosts
            assert not problems, problems

    @case
    def it_is_usable_at_320_pixels_and_by_keyboard():
        with browser(NAME) as app:
            playground = Playground(app)
            page = playground.tab
            page.set_viewport_size({"width": 320, "height": 640})
            playground.does("phone", "guest")
            playground.does("phone", "sessions")
            playground.does("phone", "samplePhoto")
            assert page.evaluate("document.documentElement.scrollWidth") == 320
            playground.does("phone", "signOut")
            page.evaluate("document.activeElement.blur()")
            names = []
            for _ in range(12):
                page.keyboard.press("Tab")
                names.append(page.evaluate("document.activeElement.textContent.trim()"))
            assert "Continue with Apple" in names and "Go on as a guest" in names, names
            page.get_by_role("region", name="Phone").get_by_role(
                "button", name="Go on as a guest").focus()
            page.keyboard.press("Enter")
            eventually(lambda: playground.who("phone") == "A guest" or None)
            # The button is gone; the focus is at the device's heading.
            focused = eventually(
                lambda: page.evaluate("document.activeElement.id") or None)
            assert focused == "device-phone", focused
            assert page.get_by_role("region").count() == 2
            assert page.get_by_role("region", name="Phone").get_by_role("status").count() == 1
            # 200 % of 640 pixels, with forced colours: everything is there, nothing is cut off.
            page.set_viewport_size({"width": 320, "height": 360})
            page.emulate_media(forced_colors="active", reduced_motion="reduce")
            assert page.evaluate("document.documentElement.scrollWidth") == 320
            cut = page.evaluate("""[...document.querySelectorAll('button, label, h2, h3')].filter(
                (item) => item.checkVisibility() && item.scrollWidth > item.clientWidth + 1
                    ).map(({textContent}) => textContent)""")
            assert cut == [], cut
            unnamed = page.evaluate("""[...document.querySelectorAll('button, input, a')].filter(
                (item) => item.checkVisibility() && !item.textContent.trim() && !item.ariaLabel
                    && !item.labels?.length).length""")
            assert unnamed == 0, unnamed

    @case
    def without_scripts_it_says_so():
        with browser(NAME) as app:
            context = app.context.browser.new_context(java_script_enabled=False)
            page = context.new_page()
            page.goto(PAGE)
            assert page.locator("noscript p").is_visible()
            context.close()


run()
