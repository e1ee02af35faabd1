"""Users for the client scripts. The functions that sign in or register use the latchkey routes."""

import base64
import hashlib
import hmac
import json
import re
import secrets
import time
import urllib.error
import urllib.request
import uuid

from judge import APP


def http(method, path, body=None, token=None, more=None):
    """The status and the body, parsed if it is JSON."""
    # The function counts requests by address, and takes the address from this header if it is
    # configured to be behind a proxy.
    address = ".".join(str(1 + secrets.randbelow(254)) for _ in range(4))
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    headers |= more or {}
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
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        status, mail = http("GET", f"/_emulator/mail/wait?to={address}&timeoutSeconds=120")
        assert status == 200, mail
        tokens = re.findall(r"token=([A-Za-z0-9_-]{40,})", json.dumps(mail))
        new = [token for token in tokens if token not in known]
        if new:
            return new[0]
        time.sleep(0.05)
    raise AssertionError(f"no new link was mailed to {address}: {mail}")


def registration():
    """The address of a new user, and the token that proves it."""
    address = f"{uuid.uuid4()}@example.com"
    status, body = http("POST", "/auth/register", {"email": address, "password": PASSWORD})
    assert status == 202, body
    return address, mailed(address)


def magic_link(address=None):
    """The token of a mailed link and the app's own secret, which an app redeems to sign in."""
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


def one_time_code(secret, ahead=0):
    """The code of an authenticator app (RFC 6238)."""
    counter = int(time.time()) // 30 + ahead
    key = base64.b32decode(secret.replace(" ", ""))
    mac = hmac.digest(key, counter.to_bytes(8, "big"), hashlib.sha1)
    start = mac[19] & 15
    return f"{(int.from_bytes(mac[start:start + 4], 'big') & 0x7FFFFFFF) % 1000000:06}"


def enrolled(session):
    """The secret of an authenticator app that waits for its first code."""
    status, body = http("POST", "/auth/totp", token=session["accessToken"])
    assert status == 200, body
    return body["secret"]


def protected(session):
    """A session with a second factor that replaces that one, and the secret of the app."""
    secret = enrolled(session)
    status, body = http(
        "POST", "/auth/totp/confirm", {"code": one_time_code(secret)}, session["accessToken"])
    assert status == 200, body
    return body, secret


def device(session):
    """The id of the session's device."""
    status, body = http("GET", "/auth/devices", token=session["accessToken"])
    assert status == 200, body
    return next(item["id"] for item in body["devices"] if item["current"])


class SecondFactors:
    """Credentials, bodies and paths for the routes of second factors and devices.

    :param session: makes a session of a new account
    :param ticket: signs in to the account of a session once more, and returns the answer's ticket
    """

    def __init__(self, session, ticket):
        self.session, self.ticket = session, ticket
        self.answer, self.device = {}, None

    def credentials(self, path):
        session = self.session()
        if path == "/auth/totp/confirm":
            self.answer = {"code": one_time_code(enrolled(session))}
        elif path.startswith("/auth/totp/") or path.endswith("/trust"):
            session, secret = protected(session)
            # The code of this moment was used to confirm the app.
            self.answer = {"code": one_time_code(secret, ahead=1), "recoveryCode": None}
        if path.startswith("/auth/devices/"):
            self.device = device(session)
        return session["accessToken"]

    def body(self, path):
        if path != "/auth/second-factor":
            return self.answer
        session, _ = protected(self.session())
        return {
            "ticket": self.ticket(session), "code": None,
            "recoveryCode": session["recoveryCodes"][0]}

    @staticmethod
    def has(path):
        return path.startswith(("/auth/totp", "/auth/devices", "/auth/second-factor"))


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def redirected(request):
    """The headers of an answer that leads elsewhere."""
    try:
        urllib.request.build_opener(_Stay).open(request)
    except urllib.error.HTTPError as answer:
        assert answer.status < 400, answer.read()
        return answer.headers
    raise AssertionError(f"{request.full_url} leads nowhere")


def admin_cookie(password="latchkey"):
    """The session of the administrator; the password is that of the emulator's templates."""
    login = urllib.request.Request(
        APP + "/auth/admin/login", method="POST",
        data=json.dumps({"password": password}).encode(),
        headers={"Content-Type": "application/json"})
    return redirected(login)["Set-Cookie"].split(";")[0]
