"""Cases of the playground: other apps that sign in with it, and attack."""

import json

from browsers import browser
from judge import case
from people import PASSWORD, password_account
from playground_page import NAME, PAGE, eventually, traced

FIND = ("const app = document.getElementById(`app-${args[0]}`)?.closest('section');"
        "const find = (selector) => app?.querySelector(selector);")
# Signs in or consents where a page asks for it.
WALK = FIND + """
    const submit = (button) => button && !button.form.dataset.sent
        && (button.form.dataset.sent = "yes", button.click());
    if (location.pathname === "/auth/ui/signin") {
        const form = document.querySelector("[name=password]")?.form;
        if (!form) return null;
        form.elements.email.value = args[1];
        form.elements.password.value = args[2];
        submit(form.querySelector("button.main"));
        return null;
    }
    if (location.pathname === "/oauth/device") {
        submit(document.querySelector("[name=user_code]")?.form.querySelector("button"));
    }
    submit(document.querySelector("button[name=decision][value=allow]"));"""
# The same, and the outcome once the browser is back.
STEP = WALK + """
    const says = find(".says")?.textContent;
    return says && says !== "It leads back here." ? says : null;"""


# The same on a page of the provider that refuses.
REFUSED = WALK + """
    return document.querySelector("[role=alert]")?.textContent.trim() || null;"""


@case
def other_apps_work_and_their_attacks_are_refused():
    with browser(NAME) as app:
        tab = app.open(PAGE + "/others.html")
        email = password_account()[0]

        def press(name, action, script=STEP):
            eventually(lambda: app.run(tab, FIND + """
                const button = find(`[data-do=${args[1]}]`);
                if (!button || button.disabled) return null;
                find(".says").textContent = "";
                button.click();
                return true;""", name, action))
            return eventually(lambda: app.run(tab, script, name, email, PASSWORD))

        def statuses(name):
            return app.run(tab, FIND + """return [...find("article").querySelectorAll(".status")]
                .map(({textContent}) => Number(textContent));""", name)

        allowed = "openid email offline_access"
        rows = [
            ("printer", "ask", f"It may: {allowed}.", [200]),
            ("printer", "use", email, [200]),
            ("printer", "owner", "UNAUTHORIZED", [401]),
            ("printer", "forge", "typ: Not of the type logout+jwt.", []),
            ("printer", "leave", "Signed out of the app, too, and its server was told.", [200]),
            ("printer", "told", "Its server was told after", [200]),
            ("printer", "replay", "invalid_grant", [200, 400, 400]),
            ("printer", "verifier", "invalid_grant", [400, 200]),
            ("printer", "old", "invalid_grant", [200, 200, 400, 400]),
            ("printer", "ask", f"It may: {allowed}.", [200]),
            ("printer", "down", "Signed out of the app all the same.", [204]),
            ("tool", "thief", "invalid_grant", [400, 200]),
            ("tool", "steal", "invalid_token", [401, 401]),
            ("tool", "end", "The tokens are dead.", [200]),
            ("tv", "thief", "unauthorized_client", [200, 400]),
            ("tv", "hurry", "slow_down", [200, 400, 400]),
            ("tv", "phish", "authorization_pending", [200, 400]),
            ("agent", "naked", "401: Bearer resource_metadata=", [401]),
            ("agent", "ask", "It may: photos:count offline_access.", [200]),
            ("agent", "use", "3 photos", [200, 200]),
            ("agent", "exchange", "Alps, Sea", [200, 200, 200, 200]),
            ("agent", "more", "The tool failed: invalid_scope", [200, 200, 400]),
            ("agent", "elsewhere", "401: Bearer", [200, 401]),
            ("agent", "late", "401: Bearer", [200, 200, 401]),
            ("nightly", "ask", "It may: photos:count.", [200]),
            ("nightly", "use", "3 photos", [200]),
            ("nightly", "who", "invalid_token", [401]),
            ("nightly", "more", "invalid_scope", [400]),
        ]
        for name, action, says, requests in rows:
            said = press(name, action)
            assert said.startswith(says), (name, action, said)
            assert statuses(name) == requests, (name, action, statuses(name))
        # A notice leads to the trace of what sent it.
        link = app.run(tab, FIND + """
            const links = [...find(".steps").querySelectorAll("li a")];
            return links.find((link) => link.closest("li").textContent.includes("received/wait"))
                .href;""", "printer")
        assert "/oauth/logout" in json.dumps(traced(link)), traced(link)
        for action in "other", "repeat":
            says = press("printer", action, REFUSED)
            assert says.startswith("This request is not known in this browser"), (action, says)
            # WebKit's driver hears nothing more of a page that it has kept and brings back.
            app.run(tab, "setTimeout(() => { location.assign(args[0]); });", PAGE + "/others.html")
            eventually(lambda: app.run(tab, "return location.href;") == PAGE + "/others.html"
                       or None)


@case
def a_television_is_let_in_from_another_tab():
    with browser(NAME) as app:
        tab = app.open(PAGE + "/others.html")
        email = password_account()[0]
        eventually(lambda: app.run(tab, FIND + """
            const button = find("[data-do=ask]");
            return button && !button.disabled && (button.click(), true);""", "tv"))
        link = eventually(lambda: app.run(tab, FIND + """
            const picture = find(".screen img");
            return picture?.naturalWidth && find(".screen a").href || null;""", "tv"))
        phone = app.open(link)
        eventually(lambda: app.run(phone, WALK + """
            return document.querySelector(".says")?.textContent;""", "tv", email, PASSWORD))
        says = eventually(lambda: app.run(tab, FIND + """
            return find(".says").textContent || null;""", "tv"))
        assert says == "It may: openid email offline_access.", says
