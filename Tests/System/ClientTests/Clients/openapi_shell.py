"""Users of `shell` for the test of its OpenAPI document."""

import functools
import uuid

from openapi_people import People, bearer
from people import SecondFactors, http, mailed, mint

PASSWORD = "Secret-1234"
NEW = "Secret-5678"


def ask(path, body, status=200):
    answered, answer = http("POST", "/auth" + path, body)
    assert answered == status, (path, answered, answer)
    return answer


def account():
    address = f"{uuid.uuid4()}@example.com"
    body = {"email": address, "password": PASSWORD, "confirmPassword": PASSWORD}
    ask("/register", body, 201)
    return address


def session(address=None):
    """A session of an account with a password."""
    return ask("/login", {"email": address or account(), "password": PASSWORD})


def provided(address):
    return {"provider": "apple", "idToken": mint(email=address), "nonce": None}


def signed_in(address=None):
    """A session of an account without a password, because passwords are hashed slowly."""
    return ask("/signin", provided(address or f"{uuid.uuid4()}@example.com"))


class Contract(People):
    EXAMPLES = 4

    def __init__(self):
        self.addresses = {}
        self.second_factors = SecondFactors(self.own_session, self.ticket)

    def own_session(self):
        """A session of a separate account; its address is verified, as a second factor requires."""
        address = f"{uuid.uuid4()}@example.com"
        answer = signed_in(address)
        self.addresses[answer["userID"]] = address
        return answer

    def ticket(self, answer):
        return ask("/signin", provided(self.addresses[answer["userID"]]), 202)["ticket"]

    @functools.cached_property
    def unproven(self):
        """A session, and the token that proves the address of its account."""
        address = account()
        answer = session(address)
        status, body = http("POST", "/auth/verify-email/send", token=answer["accessToken"])
        assert status == 200, body
        return answer, mailed(address)

    def path(self, path):
        if path.startswith("/auth/devices/"):
            return {"id": self.second_factors.device}

    def credentials(self, path):
        if self.second_factors.has(path):
            return bearer(self.second_factors.credentials(path))
        if path == "/auth/verify-email":
            return bearer(self.unproven[0]["accessToken"])
        needs_password = path in ("/auth/change-password", "/auth/verify-email/send")
        return bearer((session() if needs_password else signed_in())["accessToken"])

    def body(self, path):
        if self.second_factors.has(path):
            return self.second_factors.body(path)
        path = path.removeprefix("/auth")
        if path == "/register":
            return {
                "email": f"{uuid.uuid4()}@example.com", "password": PASSWORD,
                "confirmPassword": PASSWORD}
        if path == "/login":
            return {"email": account(), "password": PASSWORD}
        if path in ("/refresh", "/logout"):
            return {"refreshToken": signed_in()["refreshToken"]}
        if path == "/reset-password":
            address = account()
            ask("/forgot-password", {"email": address})
            return {"token": mailed(address), "newPassword": NEW, "confirmPassword": NEW}
        if path == "/magic-link/verify":
            address = account()
            ask("/magic-link", {"email": address})
            return {"token": mailed(address)}
        if path == "/signin":
            return provided(f"{uuid.uuid4()}@example.com")
        if path == "/verify-email":
            return {"token": self.unproven[1]}
        if path == "/change-password":
            return {"currentPassword": PASSWORD, "newPassword": NEW, "confirmPassword": NEW}
