"""A web app of another origin with Web/latchkey.js, in a browser (BROWSER)."""

import json
import os
import urllib.parse
import uuid

from browsers import ScriptError, browser, eventually
from judge import APP, case, run
from people import PASSWORD, http, mailed

PAGE = f"{os.environ['PAGES']}/Tests/Web/pages/?base={urllib.parse.quote(APP)}"
NAME = os.environ["BROWSER"]
# Firefox's scripts have a `Date` of their own.
LATER = "const now = window.Date.now; window.Date.now = () => now() + 901_000;"


def shown(app, tab):
    return app.run(tab, "return document.querySelector('output').textContent;")


def ready(app, tab):
    eventually(lambda: app.run(tab, "return window.auth ? true : null;"))
    return tab


def opened(app, more=""):
    return ready(app, app.open(PAGE + more))


def user(app, tab):
    return app.run(tab, "return auth.user && auth.user.id;")


@case
def a_page_with_three_lines_signs_in_by_passkey():
    with browser(NAME) as app:
        tab = opened(app)
        app.add_authenticator(tab)
        session = app.run(tab, "return auth.passkeys.signUp({email: args[0], name: 'Ada'});",
                          f"{uuid.uuid4()}@example.com")
        app.run(tab, "return auth.signOut();")
        assert shown(app, tab) == "nobody"
        app.run(tab, "document.querySelector('button').click();")
        eventually(lambda: shown(app, tab) == session["user"]["id"] or None)

        # Another of the same authenticator is refused by it (excludeCredentials).
        try:
            app.run(tab, "return auth.passkeys.add({name: 'Twice'});")
            raise AssertionError("there are two")
        except ScriptError as error:
            assert str(error).startswith("PASSKEY_ALREADY_ADDED"), error
        listed = app.run(tab, "return auth.passkeys.list();")["passkeys"]
        assert len(listed) == 1 and listed[0]["current"], listed
        renamed = app.run(tab, "return auth.passkeys.rename(args[0], 'Laptop');", listed[0]["id"])
        assert renamed["passkeys"][0]["name"] == "Laptop", renamed
        proven = app.run(tab, "return auth.passkeys.stepUp();")
        assert proven["acr"] == "phr", proven
        profile = app.run(tab, "return auth.call('GET', '/auth/me');")
        assert profile["id"] == session["user"]["id"], profile


@case
def a_user_registers_and_changes_the_password():
    with browser(NAME) as app:
        tab = opened(app)
        address = f"{uuid.uuid4()}@example.com"
        app.run(
            tab, "return auth.register({email: args[0], password: args[1]});", address, PASSWORD)
        app.run(tab, "return auth.verifyEmail({token: args[0], password: args[1]});",
                mailed(address), PASSWORD)
        assert app.run(tab, "return auth.user.email;") == address
        app.run(tab, """return auth.call("POST", "/auth/change-password", {
            currentPassword: args[0], newPassword: args[0] + " more"});""", PASSWORD)
        app.run(tab, "return auth.call('GET', '/auth/me');")
        assert app.run(tab, "return auth.signOut();") is True
        try:
            app.run(
                tab, "return auth.logIn({email: args[0], password: args[1]});", address, PASSWORD)
            raise AssertionError("the old password is accepted")
        except ScriptError as error:
            assert str(error).startswith("INVALID_CREDENTIALS"), error
        app.run(tab, "return auth.logIn({email: args[0], password: args[1] + ' more'});",
                address, PASSWORD)


@case
def seven_tabs_refresh_once_and_sign_out_together():
    with browser(NAME) as app:
        tabs = [opened(app) for _ in range(7)]
        app.run(tabs[0], "return auth.guest();")
        guest = user(app, tabs[0])
        for tab in tabs:
            eventually(lambda: user(app, tab) == guest or None)
        # All of them find the lock taken, so that all of them wait to refresh.
        app.run(tabs[0], """await new Promise((taken) => {
            navigator.locks.request(`latchkey ${base}`, () => new Promise((release) => {
                window.release = release;
                taken();
            }));
        });""")
        for tab in tabs:
            app.run(tab, LATER + """window.answers = Promise.all(
                [1, 2, 3].map(() => auth.fetch(`${base}/auth/me`)));""")
        app.run(tabs[0], "release();")
        for tab in tabs:
            statuses = app.run(tab, "return (await answers).map(({status}) => status);")
            assert statuses == [200, 200, 200], statuses
        refreshes = sum(app.run(tab, "return refreshes;") for tab in tabs)
        assert refreshes == 1, refreshes
        app.run(tabs[3], "return auth.signOut();")
        for tab in tabs:
            eventually(lambda: shown(app, tab) == "nobody" or None)


@case
def a_bound_session_survives_a_reload_and_is_useless_elsewhere():
    with browser(NAME) as app:
        tab = opened(app, "&dpop")
        session = app.run(tab, "return auth.guest();")
        assert session["tokenType"] == "DPoP", session
        app.reload(tab)
        ready(app, tab)
        assert user(app, tab) == session["user"]["id"]
        assert app.run(tab, "return (await auth.fetch(`${base}/auth/me`)).status;") == 200
        # A record that ended while the page was closed.
        app.run(tab, """const key = `latchkey ${base}`;
            const record = JSON.parse(localStorage.getItem(key));
            record.session.expiresAt -= 900;
            localStorage.setItem(key, JSON.stringify(record));""")
        app.reload(tab)
        ready(app, tab)
        assert app.run(tab, "return (await auth.fetch(`${base}/auth/me`)).status;") == 200
        stored = json.loads(
            app.run(tab, "return localStorage.getItem(`latchkey ${base}`);"))["session"]
        assert stored["refreshToken"] != session["refreshToken"]
        status, answer = http("POST", "/auth/refresh", {"refreshToken": stored["refreshToken"]})
        assert (status, answer["error"]["code"]) == (400, "DPOP_PROOF_REQUIRED"), answer
        extractable = app.run(tab, """return new Promise((done) => {
            indexedDB.open("latchkey").onsuccess = ({target: {result: database}}) => {
                database.transaction("keys").objectStore("keys").getAll().onsuccess =
                    ({target}) => done(target.result.map((pair) => pair.privateKey.extractable));
            };
        });""")
        assert extractable == [False], extractable
        # Without the key the session has ended; this is not an error.
        app.run(tab, """await new Promise((done) => {
            indexedDB.open("latchkey").onsuccess = ({target: {result: database}}) => {
                const change = database.transaction("keys", "readwrite");
                change.objectStore("keys").clear();
                change.oncomplete = done;
            };
        });""")
        app.reload(tab)
        ready(app, tab)
        assert shown(app, tab) == "nobody"


if NAME == "chromium":
    @case
    def autofill_signs_in():
        with browser(NAME) as app:
            tab = opened(app)
            app.add_authenticator(tab)
            session = app.run(tab, "return auth.passkeys.signUp();")
            app.run(tab, "return auth.signOut();")
            again = app.run(tab, "return auth.passkeys.signIn({mediation: 'conditional'});")
            assert again["user"]["id"] == session["user"]["id"], again


run()
