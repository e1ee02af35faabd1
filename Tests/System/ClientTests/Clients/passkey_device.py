"""Authenticators for the client scripts, with the JSON forms of WebAuthn section 5.1."""

import base64

from people import http
from soft_webauthn import SoftWebauthnDevice


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def with_bytes(options):
    """Options as navigator.credentials takes them, which parseCreationOptionsFromJSON makes."""
    options = dict(options, challenge=decoded(options["challenge"]))
    if "user" in options:
        options["user"] = dict(options["user"], id=decoded(options["user"]["id"]))
    return {"publicKey": options}


def as_json(credential):
    """The result of a PublicKeyCredential's toJSON()."""
    response = {name: encoded(value) for name, value in credential["response"].items() if value}
    return {
        "id": encoded(credential["rawId"]), "rawId": encoded(credential["rawId"]),
        "type": credential["type"], "response": response, "clientExtensionResults": {}}


def begin(purpose, token=None, **more):
    body = {"purpose": purpose} | more
    status, answer = http("POST", "/auth/passkeys/options", body, token=token)
    assert status == 200, answer
    return answer["ceremony"], answer["options"]


class Device:
    """One passkey, at one origin."""

    def __init__(self, origin):
        self.origin = origin
        self.soft = SoftWebauthnDevice()

    def make(self, purpose, token=None):
        """The body of a request that registers it."""
        ceremony, options = begin(purpose, token)
        credential = as_json(self.soft.create(with_bytes(options), self.origin))
        return {"ceremony": ceremony, "credential": credential}

    def use(self):
        """The body of a request that signs in with it."""
        ceremony, options = begin("signIn")
        credential = as_json(self.soft.get(with_bytes(options), self.origin))
        return {"ceremony": ceremony, "credential": credential}
