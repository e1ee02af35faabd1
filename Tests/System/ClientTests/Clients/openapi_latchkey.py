"""Users of `latchkey` for the test of its OpenAPI document."""

import functools
import json
import random
import urllib.request
import uuid

import openapi_provider as provider
from judge import APP
from openapi_people import People, bearer
from passkey_device import Device
from people import (
    PASSWORD, SecondFactors, admin_cookie, http, magic_link, mailed, mint, password_account,
    registration, sign_in)

chance = random.Random(1)


def ticket(session):
    body = {"provider": "apple", "idToken": mint(email=session["user"]["email"])}
    status, answer = http("POST", "/auth/signin", body)
    assert status == 202, answer
    return answer["ticket"]


# One of those that the test gives the functions.
ORIGIN = "https://localhost"


class Contract(People):
    EXAMPLES = 16
    # Fixtures have the answers: an event is dead after three days, and a code comes from the pages.
    REFUSING = {"POST /auth/webhooks/dead/{id}/resend", "POST /auth/ui/token"}

    @functools.cached_property
    def shared(self):
        """A session for reads, of an account that has others."""
        session = sign_in(email="shared@example.com")
        # More sign-ins of one account per minute would be refused.
        for _ in range(8):
            sign_in(email="shared@example.com")
        return session

    @functools.cached_property
    def other_sessions(self):
        _, listed = http("GET", "/auth/sessions", token=self.shared["accessToken"])
        return [item["id"] for item in listed["sessions"] if not item["current"]]

    @functools.cached_property
    def administrator(self):
        session = sign_in()
        made = urllib.request.Request(
            f"{APP}/auth/users/{session['user']['id']}/admin", method="PUT",
            data=b'{"password":"latchkey"}',
            headers={"Cookie": admin_cookie(), "Content-Type": "application/json"})
        with urllib.request.urlopen(made) as answer:
            assert answer.status == 200
        return session

    @functools.cached_property
    def users(self):
        return [sign_in()["user"]["id"] for _ in range(3)]

    def new_confirmation(self):
        """A session, and the token of a link that adds a password to its account."""
        session, address = sign_in(), f"{uuid.uuid4()}@example.com"
        status, body = http(
            "POST", "/auth/methods/password", {"password": PASSWORD, "email": address},
            token=session["accessToken"])
        assert status == 202, body
        return session, mailed(address)

    def new_unproven(self):
        """A session of an account whose address is not proven, and the token that proves it."""
        address = f"{uuid.uuid4()}@example.com"
        session = sign_in(email=address, claims={"email_verified": False})
        status, body = http("POST", "/auth/email/confirmation", token=session["accessToken"])
        assert status == 202, body
        return session, mailed(address)

    def new_merge(self):
        """A session of a guest, and the ticket for the account whose way to sign in it has."""
        known = sign_in()
        _, guest = http("POST", "/auth/guest", {})
        body = {"provider": "apple", "idToken": mint(email=known["user"]["email"])}
        status, answer = http("POST", "/auth/methods", body, token=guest["accessToken"])
        assert status == 409, answer
        return guest, answer["merge"]

    def new_undo(self):
        """The token that restores the address of an account that has another one now."""
        old, new = f"{uuid.uuid4()}@example.com", f"{uuid.uuid4()}@example.com"
        token = sign_in(email=old)["accessToken"]
        status, body = http("POST", "/auth/email", {"email": new}, token=token)
        assert status == 202, body
        status, body = http("POST", "/auth/email/confirm", {"token": mailed(new)}, token=token)
        assert status == 200, body
        return mailed(old)

    def new_undo_of_method(self):
        """The token that undoes an added way to sign in."""
        email = f"{uuid.uuid4()}@example.com"
        status, body = http(
            "POST", "/auth/methods", self.body("/auth/methods"),
            token=sign_in(email=email)["accessToken"])
        assert status == 201, body
        return mailed(email)

    def linked(self):
        """A session of an account that signs in with Apple and Google."""
        session = sign_in()
        status, body = http(
            "POST", "/auth/methods", self.body("/auth/methods"), token=session["accessToken"])
        assert status == 201, body
        return session

    #: The latest account that adds or changes passkeys.
    owner = None

    def with_passkey(self):
        """A session of an account with a passkey, and the id of that."""
        session = sign_in()
        token = session["accessToken"]
        status, answer = http(
            "POST", "/auth/passkeys", Device(ORIGIN).make("add", token), token=token)
        assert status == 201, answer
        return session, answer["passkeys"][0]["id"]

    @functools.cached_property
    def second_factors(self):
        return SecondFactors(sign_in, ticket)

    def credentials(self, path):
        if self.second_factors.has(path):
            return bearer(self.second_factors.credentials(path))
        if path == "/auth/methods/{method}":
            session = self.linked()
        elif path == "/auth/passkeys/{id}":
            self.owner = self.with_passkey()
            session = self.owner[0]
        elif path == "/auth/passkeys":
            session = sign_in()
            self.owner = session, None
        elif path == "/auth/merge":
            self.merge = self.new_merge()
            session = self.merge[0]
        elif path == "/auth/methods/password/confirm":
            self.confirmation = self.new_confirmation()
            session = self.confirmation[0]
        elif path == "/auth/email/confirm":
            self.unproven = self.new_unproven()
            session = self.unproven[0]
        elif path == "/auth/email":
            session = sign_in()
        elif path == "/auth/email/confirmation":
            session = sign_in(claims={"email_verified": False})
        # A new account each time, because the request adds a method to it.
        elif path.startswith("/auth/methods"):
            session = sign_in()
        elif path == "/oauth/userinfo":
            return bearer(provider.grant()["access_token"])
        elif path == "/auth/applications/{client}":
            session = sign_in()
            provider.grant(session)
        elif path.startswith(
                ("/auth/users", "/auth/clients", "/auth/admin/audit", "/auth/admin/keys",
                 "/auth/webhooks")):
            session = self.administrator
        elif path in ("/auth/change-password", "/auth/step-up"):
            session = password_account()[1]
        # Both end the session.
        elif path in ("/auth/signout", "/auth/account"):
            session = sign_in()
        else:
            session = self.shared
        return bearer(session["accessToken"])

    def body(self, path):
        if self.second_factors.has(path):
            return self.second_factors.body(path)
        if path == "/auth/signin":
            token = mint(email=f"{uuid.uuid4()}@example.com")
            return {"provider": "apple", "idToken": token, "nonce": None}
        if path == "/auth/passkeys/signup":
            return Device(ORIGIN).make("signUp") | {"name": None}
        if path == "/auth/passkeys/signin":
            device = Device(ORIGIN)
            assert http("POST", "/auth/passkeys/signup", device.make("signUp"))[0] == 201
            return device.use()
        if path == "/auth/passkeys" and self.owner:
            return Device(ORIGIN).make("add", self.owner[0]["accessToken"]) | {"name": None}
        if path == "/auth/apple/notifications":
            event = json.dumps({"type": "email-disabled", "sub": "unknown"})
            return {"payload": mint(claims={"events": event, "sub": None})}
        if path == "/auth/merge":
            guest, ticket = self.merge
            return {"merge": ticket, "refreshToken": guest["refreshToken"], "code": None}
        if path == "/auth/login":
            return {"email": password_account()[0], "password": PASSWORD}
        if path == "/auth/verify-email":
            return {"token": registration()[1], "password": PASSWORD}
        if path == "/auth/reset-password":
            address, _, first = password_account()
            http("POST", "/auth/forgot-password", {"email": address})
            return {"token": mailed(address, [first]), "newPassword": PASSWORD + "!"}
        if path == "/auth/change-password":
            return {"currentPassword": PASSWORD, "newPassword": PASSWORD + "!"}
        if path == "/auth/magic-link/redeem":
            return magic_link()
        if path == "/auth/methods":
            token = mint("google", email=f"{uuid.uuid4()}@example.com")
            return {"provider": "google", "idToken": token, "nonce": None}
        if path == "/auth/methods/password":
            return {"password": PASSWORD, "email": None}
        if path == "/auth/step-up":
            return {"password": PASSWORD}
        if path in ("/auth/email", "/auth/users/{id}/email"):
            return {"email": f"{uuid.uuid4()}@example.com"}
        if path == "/auth/users/{id}/remove-method":
            return {"method": "google"}
        if path == "/auth/email/undo":
            return {"token": self.new_undo()}
        if path == "/auth/undo":
            return {"token": self.new_undo_of_method()}
        if path == "/auth/email/confirm":
            return {"token": self.unproven[1]}
        if path == "/auth/methods/password/confirm":
            return {"token": self.confirmation[1]}
        if path == "/auth/refresh":
            return {"refreshToken": sign_in()["refreshToken"]}
        if path == "/auth/admin/login":
            return {"password": "latchkey"}
        if path == "/auth/credentials":
            return {"prefix": None}
        if path == "/auth/users/{id}/remove-application":
            return {"application": provider.TOOL}
        return provider.body(path)

    def path(self, path):
        if path.startswith("/auth/devices/"):
            return {"id": self.second_factors.device}
        if path == "/auth/passkeys/{id}" and self.owner:
            return {"id": self.owner[1]}
        if path == "/auth/methods/{method}":
            return {"method": "google"}
        if path == "/auth/users/{id}/delete":
            return {"id": sign_in()["user"]["id"]}
        if path == "/auth/users/{id}/remove-method":
            return {"id": self.linked()["user"]["id"]}
        if path == "/auth/users/{id}/mail-verification-link":
            address = f"{uuid.uuid4()}@example.com"
            session = sign_in(email=address, claims={"email_verified": False})
            return {"id": session["user"]["id"]}
        if path == "/auth/users/{id}/remove-application":
            session = sign_in()
            provider.grant(session)
            return {"id": session["user"]["id"]}
        if path == "/auth/users/{id}/sessions/{session}":
            session = sign_in()
            _, listed = http("GET", "/auth/sessions", token=session["accessToken"])
            return {"id": session["user"]["id"], "session": listed["sessions"][0]["id"]}
        if path == "/auth/applications/{client}":
            return {"client": provider.TOOL}
        if path.startswith("/auth/clients/"):
            return {"id": provider.added(self.administrator)}
        if path.startswith("/auth/users/"):
            return {"id": chance.choice(self.users)}
        if path == "/auth/sessions/{id}" and self.other_sessions:
            return {"id": self.other_sessions.pop()}
