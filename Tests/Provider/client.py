"""A client of the provider, and what its answers have to be."""

import base64
import concurrent.futures
import hashlib
import json
import secrets
import time
import urllib.parse

import jwt

import server
import settings
from browser import Browser
from settings import ACCESS_TOKEN, DEVICE, EXCHANGE, KEYS, OWN

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_signed_in = {}


def pairs(parameters):
    """Each parameter, a list as one that is repeated; None is left out."""
    return [(name, value) for name, values in parameters.items() if values is not None
            for value in (values if isinstance(values, list) else [values])]


def basic(name, value, encode=urllib.parse.quote_plus):
    text = f"{encode(name)}:{encode(value)}".encode()
    return {"Authorization": "Basic " + base64.b64encode(text).decode()}


def shown(answer):
    sent = answer.request
    return (f"{sent.method} {sent.url} {str(sent.body or '')[:300]} -> {answer.status_code} "
            f"{answer.text[:300]}")


def each(rows, check):
    """Calls the check with each row, and names all that fail."""
    wrong = []
    for row in rows:
        row = row if isinstance(row, tuple) else (row,)
        try:
            check(*row)
        except AssertionError as error:
            wrong.append(f"{str(row)[:200]}: {error}")
    assert not wrong, "\n" + "\n".join(wrong)


def at_once(function, items):
    """The results of calls in parallel."""
    with concurrent.futures.ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(function, items))


def refused(answer, *errors, status=400):
    """RFC 6749 section 5.2: one of the errors, as JSON that nobody stores (G6, G7, B40)."""
    assert answer.status_code == status, shown(answer)
    body = answer.json()
    assert body["error"] in errors, f"{errors}: {shown(answer)}"
    assert body.keys() <= {"error", "error_description", "error_uri"}, body
    text = body.get("error_description", "")
    assert all(" " <= letter <= "~" and letter not in '"\\' for letter in text), text
    assert "no-store" in answer.headers["Cache-Control"], answer.headers
    assert answer.headers["Content-Type"].startswith("application/json"), answer.headers
    return body


def good(answer):
    assert answer.status_code == 200, shown(answer)
    assert "no-store" in answer.headers["Cache-Control"], answer.headers
    return answer.json()


def signed_in(where=None):
    """A new browser in which the common user is signed in."""
    where = where or server.main()
    if where not in _signed_in:
        _signed_in[where] = Browser(where, where.user).sign_in()
    return _signed_in[where].copy()


class Authorization:
    """An authorization request of a client."""

    def __init__(self, client, changes):
        self.client, self.verifier = client, secrets.token_urlsafe(48)
        challenge = hashlib.sha256(self.verifier.encode()).digest()
        self.parameters = {
            "client_id": client.id, "redirect_uri": client.redirect_uri, "response_type": "code",
            "scope": "openid", "state": secrets.token_urlsafe(8),
            "code_challenge": base64.urlsafe_b64encode(challenge).decode().rstrip("="),
            "code_challenge_method": "S256"} | changes
        self.endpoint = client.server.issuer + "/oauth/authorize"
        self.url = f"{self.endpoint}?{urllib.parse.urlencode(pairs(self.parameters))}"

    def answered(self, page):
        """The parameters of the redirect, which has state and issuer (P1 to P4)."""
        found, uri = page.answer, self.parameters["redirect_uri"]
        assert page.left.startswith(uri + ("&" if "?" in uri else "?")), page.left
        assert page.status in (302, 303), page
        own = {name: value for name, value in found.items() if f"{name}={value}" not in uri}
        assert own.pop("iss", None) == self.client.server.issuer, page.left
        assert own.pop("state", None) == self.parameters["state"], page.left
        assert own.keys() <= {"code", "error", "error_description", "error_uri"}, page.left
        assert ("code" in own) != ("error" in own), page.left
        return own

    def run(self, browser=None, decision="allow"):
        """The answer to it after sign-in and decision."""
        browser = browser or signed_in(self.client.server)
        return self.answered(browser.walk(browser.open(self.url), decision))


class Client:
    def __init__(self, name, where=None):
        self.server, members = where or server.main(), name
        if isinstance(name, str):
            members = next(one for one in [*settings.CLIENTS, settings.BANK]
                           if one["client_id"] == name)
        self.members, self.id = members, members["client_id"]
        self.method = members["token_endpoint_auth_method"]
        self.secret = members.get("client_secret")
        self.redirect_uri = next(iter(members.get("redirect_uris", [])), None)

    # MARK: Requests

    def authentication(self):
        """Headers and fields."""
        if self.method == "client_secret_basic":
            return basic(self.id, self.secret), {}
        if self.method == "client_secret_post":
            return {}, {"client_id": self.id, "client_secret": self.secret}
        if self.method == "private_key_jwt":
            return {}, {"client_assertion_type": ASSERTION, "client_assertion": self.assertion()}
        return {}, {"client_id": self.id}

    def assertion(self, key=None, algorithm="ES256", header=None, **changes):
        now = int(time.time())
        claims = {"iss": self.id, "sub": self.id, "aud": self.server.issuer, "iat": now,
                  "exp": now + 60, "jti": secrets.token_urlsafe()} | changes
        claims = {name: value for name, value in claims.items() if value is not None}
        # Of several keys the header names one (Core 10.1).
        header = header or {"kid": algorithm}
        return jwt.encode(claims, key or KEYS[algorithm], algorithm, header)

    def post(self, path, fields, headers=None):
        own, more = self.authentication()
        return self.server.call(
            "POST", path, data=pairs(more | fields), headers=own | (headers or {}))

    def token(self, **fields):
        return self.post("/oauth/token", fields)

    def request(self, **changes):
        return Authorization(self, changes)

    def code(self, browser=None, decision="allow", **changes):
        """An authorization request that was answered with a code: (request, code)."""
        request = self.request(**changes)
        answer = request.run(browser, decision)
        assert "code" in answer, answer
        return request, answer["code"]

    def redeem(self, request, code, /, **changes):
        return self.token(**{
            "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
            "redirect_uri": request.parameters["redirect_uri"]} | changes)

    def grant(self, browser=None, **changes):
        """The tokens of a new grant."""
        request, code = self.code(browser, **changes)
        return good(self.redeem(request, code))

    def begin(self, **fields):
        """A device's request (RFC 8628 section 3.1)."""
        return self.post("/oauth/device_authorization", fields)

    def poll(self, code, **changes):
        return self.token(grant_type=DEVICE, device_code=code, **changes)

    def own(self, headers=None, **fields):
        """A request for a token of its own (OAuth 2.1 section 4.2)."""
        return self.post("/oauth/token", {"grant_type": OWN} | fields, headers)

    def exchange(self, token, headers=None, **changes):
        """A request for another server's token (RFC 8693 section 2.1)."""
        return self.post("/oauth/token", {
            "grant_type": EXCHANGE, "subject_token": token,
            "subject_token_type": ACCESS_TOKEN} | changes, headers)

    def refresh(self, token, /, **changes):
        return self.token(grant_type="refresh_token", refresh_token=token, **changes)

    def introspect(self, token, **more):
        return good(self.post("/oauth/introspect", {"token": token} | more))

    def revoke(self, token, **more):
        return self.post("/oauth/revoke", {"token": token} | more)

    def userinfo(self, token):
        return self.server.call("GET", "/oauth/userinfo", token=token)

    # MARK: Expectations

    def is_alive(self, tokens):
        """Whether the grant lives, by its refresh token, which must have the same successor."""
        answer = self.refresh(tokens["refresh_token"])
        if answer.status_code == 200:
            tokens |= good(answer)
            return True
        refused(answer, "invalid_grant")
        return False


def compact(header, claims, signature=b""):
    parts = [json.dumps(part).encode() for part in (header, claims)] + [signature]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
