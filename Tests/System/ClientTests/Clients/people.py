"""Users for the client scripts. The functions that sign in or register use the latchkey routes."""

import json
import re
import secrets
import time
import urllib.error
import urllib.request
import uuid

from judge import APP


def http(method, path, body=None, token=None):
    """The status and the body, parsed if it is JSON."""
    # The function counts requests by address, and takes this header's word for it when it is told
    # that there is a proxy.
    address = ".".join(str(1 + secrets.randbelow(254)) for _ in range(4))
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        APP + path, method=method, headers=headers,
        data=None if body is None else json.dumps(body).encode())
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        text = answer.read()
        return answer.status, json.loads(text) if text else None


def mint(provider="apple", claims=None, **more):
    """An ID token of the emulated provider."""
    status, body = http("POST", f"/_idp/{provider}/mint", {"claims": claims or {}, **more})
    assert status == 200, body
    return body["idToken"]


def sign_in(provider="apple", **more):
    """A session of a new user, or of the one with `email`."""
    more.setdefault("email", f"{uuid.uuid4()}@example.com")
    status, body = http(
        "POST", "/auth/signin", {"provider": provider, "idToken": mint(provider, **more)})
    assert status == 200, body
    return body


PASSWORD = "correct horse battery"


def mailed(address, known=()):
    """The token of a link that was mailed to the address and is not one of `known`."""
    while True:
        status, mail = http("GET", f"/_emulator/mail/wait?to={address}&timeoutSeconds=20")
        assert status == 200, mail
        tokens = re.findall(r"token=([A-Za-z0-9_-]{40,})", json.dumps(mail))
        new = [token for token in tokens if token not in known]
        if new:
            return new[0]
        time.sleep(0.05)


def registration():
    """The address of a new user, and the token that proves it."""
    address = f"{uuid.uuid4()}@example.com"
    status, body = http("POST", "/auth/register", {"email": address, "password": PASSWORD})
    assert status == 202, body
    return address, mailed(address)


def magic_link(address=None):
    """What an app redeems to sign in by a mailed link: the token and its own secret."""
    address = address or f"{uuid.uuid4()}@example.com"
    status, body = http("POST", "/auth/magic-link", {"email": address})
    assert status == 202, body
    return {"token": mailed(address), "requestSecret": body["requestSecret"]}


def password_account():
    """The address of a new account with PASSWORD, its session, and the token of its first link."""
    address, token = registration()
    status, body = http("POST", "/auth/verify-email", {"token": token, "password": PASSWORD})
    assert status == 201, body
    return address, body, token


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def admin_cookie(password="latchkey"):
    """The session of the administrator; the password is that of the emulator's templates."""
    login = urllib.request.Request(
        APP + "/auth/admin/login", method="POST",
        data=json.dumps({"password": password}).encode(),
        headers={"Content-Type": "application/json"})
    try:
        urllib.request.build_opener(_Stay).open(login)
    except urllib.error.HTTPError as answer:
        return answer.headers["Set-Cookie"].split(";")[0]
    raise AssertionError("the login does not lead to a page")
