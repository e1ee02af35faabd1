"""Users of `news_app` for the test of its OpenAPI document."""

import functools
import random
import uuid

from openapi_people import People, bearer
from people import admin_cookie, http, mint

chance = random.Random(1)


def identity():
    return {"id_token": mint(email=f"{uuid.uuid4()}@example.com")}


def sign_in():
    status, session = http("POST", "/auth/apple", identity())
    assert status == 200, session
    return session


class Contract(People):
    # A page without the administrator's session leads to the login (NA30).
    SETTINGS = """
        [[operations]]
        include-path-regex = "^/admin/"
        checks.negative_data_rejection.expected-statuses = [303, 401, 403, 404, 405, 415, 422]
        """

    def tested(self, document):
        # Every value of a form is a text, so none has a wrong type.
        login = document["paths"]["/auth/admin/login"]["post"]["requestBody"]["content"]
        del login["application/x-www-form-urlencoded"]
        return document

    @functools.cached_property
    def shared(self):
        return sign_in()

    @functools.cached_property
    def users(self):
        return [sign_in()["user"]["id"] for _ in range(3)]

    @functools.cached_property
    def cookie(self):
        return admin_cookie()

    def credentials(self, path):
        if path.startswith("/admin/"):
            return {"Cookie": self.cookie}
        return bearer(self.shared["access_token"])

    def body(self, path):
        if path == "/auth/apple":
            return identity()
        if path == "/auth/refresh":
            return {"refresh_token": sign_in()["refresh_token"]}
        if path == "/auth/admin/login":
            return {"password": "latchkey"}

    def path(self, path):
        if path.startswith("/admin/users/"):
            return {"id": chance.choice(self.users)}
