"""Users of `livlogios` for the test of its OpenAPI document."""

import functools
import json
import uuid

from openapi_people import People, bearer
from people import PASSWORD, http, mailed, mint

AUTH = "/api/v1/auth"


def ask(path, body, status=200, token=None):
    answered, answer = http("POST", AUTH + path, body, token)
    assert answered == status, (path, answered, answer)
    return answer


def sign_in():
    return ask("/apple", {"identityToken": mint(email=f"{uuid.uuid4()}@example.com")})


def registration():
    address = f"{uuid.uuid4()}@example.com"
    ask("/register", {"email": address, "password": PASSWORD}, 201)
    return address, mailed(address)


def password_account():
    address, token = registration()
    return address, ask("/verify-email", {"token": token}), token


class Contract(People):
    EXAMPLES = 4

    @functools.cached_property
    def shared(self):
        return sign_in()

    @functools.cached_property
    def confirmation(self):
        """A session, and the token of a link that adds a password to its account."""
        session, address = sign_in(), f"{uuid.uuid4()}@example.com"
        ask(
            "/methods/password", {"password": PASSWORD, "email": address}, 202,
            session["accessToken"])
        return session, mailed(address)

    def linked(self):
        """A session of an account with a password and Apple."""
        session = password_account()[1]
        ask("/methods/apple", self.body(AUTH + "/methods/apple"), 201, session["accessToken"])
        return session

    def credentials(self, path):
        if path == AUTH + "/methods/{method}":
            session = self.linked()
        elif path == AUTH + "/methods/password/confirm":
            session = self.confirmation[0]
        elif path == AUTH + "/methods/password":
            session = sign_in()
        elif path in (AUTH + "/change-password", AUTH + "/methods/apple"):
            session = password_account()[1]
        # Both end the session.
        elif path in (AUTH + "/logout", AUTH + "/account"):
            session = sign_in()
        else:
            session = self.shared
        return bearer(session["accessToken"])

    def body(self, path):
        path = path.removeprefix(AUTH)
        if path == "/apple":
            return {"identityToken": mint(email=f"{uuid.uuid4()}@example.com")}
        if path == "/apple/notifications":
            event = json.dumps({"type": "email-disabled", "sub": "unknown"})
            return {"payload": mint(claims={"events": event, "sub": None})}
        if path == "/login":
            return {"email": password_account()[0], "password": PASSWORD}
        if path == "/verify-email":
            return {"token": registration()[1]}
        if path == "/reset-password":
            address, _, first = password_account()
            ask("/forgot-password", {"email": address})
            return {"token": mailed(address, [first]), "newPassword": PASSWORD + "!"}
        if path == "/change-password":
            return {"currentPassword": PASSWORD, "newPassword": PASSWORD + "!"}
        if path == "/methods/apple":
            return {"identityToken": mint(email=f"{uuid.uuid4()}@example.com")}
        if path == "/methods/password":
            return {"password": PASSWORD, "email": None}
        if path == "/methods/password/confirm":
            return {"token": self.confirmation[1]}
        if path in ("/refresh", "/logout"):
            return {"refreshToken": sign_in()["refreshToken"]}

    def path(self, path):
        if path == AUTH + "/methods/{method}":
            return {"method": "apple"}
