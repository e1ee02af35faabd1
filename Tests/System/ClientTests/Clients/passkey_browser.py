"""A browser with passkeys: Chromium's virtual authenticators and the JavaScript API."""

import contextlib

from chromium_shell import launch_chromium
from judge import APP, case, run
from people import one_time_code
from playwright.sync_api import sync_playwright

# The RP ID is localhost, which a browser trusts without TLS; an IP address can be none.
SITE = APP.replace("127.0.0.1", "localhost")
# A page of the site that loads nothing.
PAGE = f"{SITE}/.well-known/jwks.json"

# The steps of an app.
APP_CODE = """
globalThis.api = async (method, path, body, token) => {
    const headers = {"Content-Type": "application/json"};
    if (token) headers.Authorization = `Bearer ${token}`;
    const response = await fetch(path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body)});
    const text = await response.text();
    return {status: response.status, body: text ? JSON.parse(text) : null};
};
globalThis.begin = async (purpose, token, extra = {}) => {
    const begun = await api("POST", "/auth/passkeys/options", {purpose, ...extra}, token);
    if (begun.status !== 200) throw new Error(JSON.stringify(begun));
    return begun.body;
};
globalThis.create = async (purpose, token, extra, mediation) => {
    const {ceremony, options} = await begin(purpose, token, extra);
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({publicKey, mediation});
    return {ceremony, credential: credential.toJSON(), options};
};
globalThis.ask = async (purpose, extra, mediation) => {
    const {ceremony, options} = await begin(purpose, undefined, extra);
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({publicKey, mediation});
    return {ceremony, credential: credential.toJSON(), options};
};
globalThis.signUp = async (extra) => {
    const {ceremony, credential} = await create("signUp", undefined, extra);
    return api("POST", "/auth/passkeys/signup", {ceremony, credential, name: "First"});
};
globalThis.signIn = async (mediation) => {
    const {ceremony, credential} = await ask("signIn", {}, mediation);
    return api("POST", "/auth/passkeys/signin", {ceremony, credential});
};
globalThis.add = async (token, name, extra = {}, mediation = undefined) => {
    const {ceremony, credential} = await create("add", token, extra, mediation);
    return api("POST", "/auth/passkeys", {ceremony, credential, name}, token);
};
globalThis.stepUp = async (token) => {
    const {ceremony, options} = await begin("stepUp", token);
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({publicKey});
    return api("POST", "/auth/step-up", {ceremony, credential: credential.toJSON()}, token);
};
undefined;
"""

STANDARD = {
    "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal",
    "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


class Browser:
    """A profile of its own, and the virtual authenticators in it."""

    def __init__(self, chromium):
        self.context = chromium.new_context()
        self.page = self.context.new_page()
        self.page.goto(PAGE)
        self.page.evaluate(APP_CODE)
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.send("WebAuthn.enable", {"enableUI": False})

    def authenticator(self, **options):
        made = self.devtools.send(
            "WebAuthn.addVirtualAuthenticator", {"options": STANDARD | options})
        return made["authenticatorId"]

    def send(self, name, authenticator, **parameters):
        return self.devtools.send(
            f"WebAuthn.{name}", {"authenticatorId": authenticator} | parameters)

    def remove(self, authenticator):
        self.send("removeVirtualAuthenticator", authenticator)

    def call(self, code, *arguments):
        return self.page.evaluate(
            f"([{', '.join(f'a{n}' for n in range(len(arguments)))}]) => {code}", list(arguments))


@contextlib.contextmanager
def browser():
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


def expect(answer, status):
    assert answer["status"] == status, answer
    return answer["body"]


@case
def a_user_signs_up_signs_in_and_replaces_a_passkey():
    with browser() as user:
        phone = user.authenticator()
        session = expect(user.call("signUp({email: a0, name: a1})", "ada@example.com", "Ada"), 201)
        assert session["user"]["email"] == "ada@example.com", session
        assert session["user"]["emailVerified"] is False, session
        again = expect(user.call("signIn()"), 200)
        assert again["user"]["id"] == session["user"]["id"], again

        # The authenticator that has one refuses to make another (excludeCredentials).
        refused = user.call(
            "add(a0, 'Twice').then(() => 'made', error => error.name)", again["accessToken"])
        assert refused == "InvalidStateError", refused

        # A second passkey, on a security key. Removing the phone's ends the phone's first session.
        user.remove(phone)
        user.authenticator(transport="usb")
        added = expect(user.call("add(a0, 'Key')", again["accessToken"]), 201)
        names = {entry["name"]: entry for entry in added["passkeys"]}
        assert set(names) == {"First", "Key"} and names["First"]["current"], added
        assert len(added["signals"]["allAcceptedCredentialIds"]) == 2, added
        other = expect(user.call("signIn()"), 200)
        path = f"/auth/passkeys/{names['First']['id']}"
        expect(user.call("api('DELETE', a0, undefined, a1)", path, other["accessToken"]), 204)
        expect(user.call("api('GET', '/auth/me', undefined, a0)", session["accessToken"]), 401)
        expect(user.call("api('GET', '/auth/me', undefined, a0)", other["accessToken"]), 200)
        last = f"/auth/passkeys/{names['Key']['id']}"
        error = expect(
            user.call("api('DELETE', a0, undefined, a1)", last, other["accessToken"]), 409)
        assert error["error"]["code"] == "LAST_METHOD", error


@case
def a_passkey_steps_up():
    with browser() as user:
        key = user.authenticator()
        session = expect(user.call("signUp({})"), 201)
        proven = expect(user.call("stepUp(a0)", session["accessToken"]), 200)
        assert proven["acr"] == "phr" and "mfa" in proven["amr"], proven
        expect(user.call("api('GET', '/auth/me', undefined, a0)", proven["accessToken"]), 200)
        # An authenticator that claims less than what the options ask for.
        user.send("setResponseOverrideBits", key, isBadUV=True)
        error = expect(user.call("stepUp(a0)", session["accessToken"]), 401)
        assert error["error"]["code"] == "PASSKEY_REFUSED", error


@case
def autofill_signs_in():
    with browser() as user:
        user.authenticator()
        session = expect(user.call("signUp({})"), 201)
        user.page.evaluate("""() => {
            const field = document.createElement("input");
            field.autocomplete = "username webauthn";
            document.documentElement.append(field);
        }""")
        again = expect(user.call("signIn('conditional')"), 200)
        assert again["user"]["id"] == session["user"]["id"], again


@case
def a_passkey_without_user_verification_is_one_factor():
    with browser() as user:
        key = user.authenticator()
        session = expect(user.call("signUp({})"), 201)
        enrolment = expect(
            user.call("api('POST', '/auth/totp', {}, a0)", session["accessToken"]), 200)
        code = one_time_code(enrolment["secret"])
        confirmed = expect(
            user.call(
                "api('POST', '/auth/totp/confirm', {code: a0}, a1)", code,
                session["accessToken"]), 200)
        assert confirmed["user"]["id"] == session["user"]["id"], confirmed
        # With user verification it is two factors.
        expect(user.call("signIn()"), 200)
        user.send("setResponseOverrideBits", key, isBadUV=True)
        ticket = expect(user.call("signIn()"), 202)
        assert ticket["methods"] == ["totp", "recoveryCode"], ticket


@case
def wrong_answers_of_an_authenticator_are_refused():
    with browser() as user:
        key = user.authenticator()
        expect(user.call("signUp({})"), 201)
        for bits in ({"isBogusSignature": True}, {"isBadUP": True}):
            user.send("setResponseOverrideBits", key, **bits)
            error = expect(user.call("signIn()"), 401)
            assert error["error"]["code"] == "PASSKEY_REFUSED", (bits, error)
        user.send("setResponseOverrideBits", key, isBogusSignature=False, isBadUP=False)
        expect(user.call("signIn()"), 200)


@case
def changed_backup_flags_are_refused_or_noted():
    with browser() as user:
        key = user.authenticator(defaultBackupEligibility=True, defaultBackupState=False)
        expect(user.call("signUp({})"), 201)
        credential = user.send("getCredentials", key)["credentials"][0]["credentialId"]

        def flags(**properties):
            user.send("setCredentialProperties", key, credentialId=credential, **properties)

        flags(backupEligibility=True, backupState=True)
        session = expect(user.call("signIn()"), 200)
        listed = expect(
            user.call("api('GET', '/auth/passkeys', undefined, a0)", session["accessToken"]), 200)
        assert listed["passkeys"][0]["backedUp"] is True, listed
        flags(backupEligibility=False, backupState=False)
        assert expect(user.call("signIn()"), 401)["error"]["code"] == "PASSKEY_REFUSED"


@case
def one_credential_id_belongs_to_one_account():
    with browser() as user:
        first = user.authenticator()
        session = expect(user.call("signUp({})"), 201)
        made = user.send("getCredentials", first)["credentials"][0]
        # A second authenticator with the same credential ID and another key.
        user.remove(first)
        second = user.authenticator()
        expect(user.call("signUp({})"), 201)
        copy = user.send("getCredentials", second)["credentials"][0]
        forged = copy | {"credentialId": made["credentialId"], "userHandle": made["userHandle"]}
        user.send("clearCredentials", second)
        user.send("addCredential", second, credential=forged)
        assert expect(user.call("signIn()"), 401)["error"]["code"] == "PASSKEY_REFUSED"
        # The real one still signs in.
        user.send("clearCredentials", second)
        user.send("addCredential", second, credential=made | {"signCount": 100})
        again = expect(user.call("signIn()"), 200)
        assert again["user"]["id"] == session["user"]["id"], again


@case
def a_ceremony_is_used_once_and_for_its_purpose():
    with browser() as user:
        user.authenticator()
        session = expect(user.call("signUp({})"), 201)
        answers = user.call("""(async () => {
            const {ceremony, credential} = await ask("signIn", {});
            const body = {ceremony, credential};
            const first = await api("POST", "/auth/passkeys/signin", body);
            return [first, await api("POST", "/auth/passkeys/signin", body)];
        })()""")
        expect(answers[0], 200)
        assert expect(answers[1], 400)["error"]["code"] == "INVALID_CEREMONY"
        moved = user.call("""(async () => {
            const mine = await ask("signIn", {});
            const {ceremony} = await begin("signIn");
            return api("POST", "/auth/passkeys/signin", {ceremony, credential: mine.credential});
        })()""")
        assert expect(moved, 401)["error"]["code"] == "PASSKEY_REFUSED"
        assert session["user"]["id"]


run()
