"""Users for the client scripts of the latchkey routes."""

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


def password_account():
    """The address of a new account with PASSWORD, its session, and the token of its first link."""
    address, token = registration()
    status, body = http("POST", "/auth/verify-email", {"token": token, "password": PASSWORD})
    assert status == 201, body
    return address, body, token


def one_time_code(secret, ahead=0):
    """The code of an authenticator app (RFC 6238)."""
    counter = int(time.time()) // 30 + ahead
    mac = hmac.digest(base64.b32decode(secret), counter.to_bytes(8, "big"), hashlib.sha1)
    start = mac[19] & 15
    return f"{(int.from_bytes(mac[start:start + 4], 'big') & 0x7FFFFFFF) % 1000000:06}"


def enrolled_session():
    """A session of a new user, and the secret of an authenticator app that waits for its code."""
    session = sign_in()
    status, body = http("POST", "/auth/totp", token=session["accessToken"])
    assert status == 200, body
    return session, body["secret"]


def protected_session():
    """A session of a new user with a second factor, the app's secret and the recovery codes."""
    session, secret = enrolled_session()
    status, body = http(
        "POST", "/auth/totp/confirm", {"code": one_time_code(secret)}, session["accessToken"])
    assert status == 200, body
    return body, secret, body["recoveryCodes"]


def second_factor_ticket():
    """The ticket of a new user's sign-in, and a recovery code."""
    email = f"{uuid.uuid4()}@example.com"
    session = sign_in(email=email)
    status, body = http("POST", "/auth/totp", token=session["accessToken"])
    assert status == 200, body
    status, body = http(
        "POST", "/auth/totp/confirm", {"code": one_time_code(body["secret"])},
        session["accessToken"])
    assert status == 200, body
    codes = body["recoveryCodes"]
    status, body = http("POST", "/auth/signin", {"provider": "apple", "idToken": mint(email=email)})
    assert status == 202, body
    return body["ticket"], codes[0]
