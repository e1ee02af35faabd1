"""Users of `whateat` for the test of its OpenAPI document."""

import uuid

from openapi_people import People, bearer
from people import http, mint

AUTH = "/api/v1/auth"


def identity():
    return {"provider": "google", "idToken": mint("google", email=f"{uuid.uuid4()}@example.com")}


def sign_in():
    status, session = http("POST", AUTH + "/signin", identity())
    assert status == 200, session
    return session


class Contract(People):
    EXAMPLES = 16

    def credentials(self, path):
        return bearer(sign_in()["accessToken"])

    def body(self, path):
        if path == AUTH + "/signin":
            return identity()
        if path == AUTH + "/refresh":
            return {"refreshToken": sign_in()["refreshToken"]}
