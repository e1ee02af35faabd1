"""Values that schemathesis cannot generate: valid tokens, and a client address."""

import json
import os
import pathlib
import random
import urllib.error
import urllib.request
import uuid

import schemathesis
from judge import APP
from people import (
    PASSWORD, http, magic_link, mailed, mint, password_account, registration, sign_in)

# Not the random generator that hypothesis manages.
chance = random.Random(1)
shared = sign_in(email="shared@example.com")
# More sign-ins of one account per minute would be refused.
for _ in range(8):
    sign_in(email="shared@example.com")
_, listed = http("GET", "/auth/sessions", token=shared["accessToken"])
others = [item["id"] for item in listed["sessions"] if not item["current"]]
administrator = sign_in()
users = [sign_in()["user"]["id"] for _ in range(3)]
seen = pathlib.Path(os.environ["HOME"], "seen")


def make_administrator(user):
    """By the administrator's password, which the template has for the emulator."""
    login = urllib.request.Request(
        APP + "/auth/admin/login", method="POST", data=b'{"password": "latchkey"}',
        headers={"Content-Type": "application/json"})

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    try:
        urllib.request.build_opener(Stay).open(login)
    except urllib.error.HTTPError as answer:
        cookie = answer.headers["Set-Cookie"].split(";")[0]
    made = urllib.request.Request(
        f"{APP}/auth/users/{user}/admin", method="PUT", headers={"Cookie": cookie})
    with urllib.request.urlopen(made) as answer:
        assert answer.status == 200


make_administrator(administrator["user"]["id"])


@schemathesis.auth(refresh_interval=None)
class SignedIn:
    """A shared session for reads; sign-out uses a new session each time."""

    def get(self, case, context):
        if case.operation.path.startswith("/auth/users"):
            return administrator["accessToken"]
        if case.operation.path == "/auth/change-password":
            return password_account()[1]["accessToken"]
        return (sign_in() if case.operation.path == "/auth/signout" else shared)["accessToken"]

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = case.headers or {}
    # A redirect is an answer: what it leads to is another route.
    kwargs["allow_redirects"] = False
    case.headers["X-Forwarded-For"] = ".".join(str(chance.randrange(1, 255)) for _ in range(4))
    if case.meta is None or not case.meta.generation.mode.is_positive or chance.random() < 0.2:
        return
    body = case.body
    if case.operation.path == "/auth/signin" and isinstance(body, dict):
        body.update(provider="apple", idToken=mint(email=f"{uuid.uuid4()}@example.com"))
        body.pop("nonce", None)
    elif case.operation.path == "/auth/login" and isinstance(body, dict):
        body.update(email=password_account()[0], password=PASSWORD)
    elif case.operation.path == "/auth/verify-email" and isinstance(body, dict):
        body.update(token=registration()[1], password=PASSWORD)
    elif case.operation.path == "/auth/reset-password" and isinstance(body, dict):
        address, _, first = password_account()
        http("POST", "/auth/forgot-password", {"email": address})
        body.update(token=mailed(address, [first]), newPassword=PASSWORD + "!")
    elif case.operation.path == "/auth/change-password" and isinstance(body, dict):
        body.update(currentPassword=PASSWORD, newPassword=PASSWORD + "!")
    elif case.operation.path == "/auth/magic-link/redeem" and isinstance(body, dict):
        body.update(magic_link())
    elif case.operation.path == "/auth/refresh" and isinstance(body, dict):
        body["refreshToken"] = sign_in()["refreshToken"]
    elif case.operation.path == "/auth/admin/login" and isinstance(body, dict):
        body["password"] = "latchkey"
    elif case.operation.path == "/auth/credentials" and isinstance(body, dict):
        body["prefix"] = None
    elif case.operation.path.startswith("/auth/users/"):
        case.path_parameters = {"id": chance.choice(users)}
    elif case.operation.path == "/auth/sessions/{id}" and others:
        case.path_parameters = {"id": others.pop()}


@schemathesis.hook
def after_call(context, case, response):
    with seen.open("a") as file:
        file.write(json.dumps([case.operation.label, response.status_code]) + "\n")
