"""Apps of the emulated Apple, Google and an OpenID provider, request by request."""

import base64
import copy
import hashlib
import json
import time
import urllib.parse
import uuid

import requests
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from judge import APP
from oauth_app import Form

CALLBACK = "http://127.0.0.1:3000/callback"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
JSON = {"Accept": "application/json"}


def hashed(text, size=32):
    digest = hashlib.sha256(text.encode()).digest()[:size]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


CHALLENGE = hashed(VERIFIER)


def person():
    """The address of somebody whom no provider knows yet."""
    return f"{uuid.uuid4()}@example.com"


def idp(method, path, body=None, **more):
    """A request to a provider; its JSON is the second result."""
    answer = requests.request(
        method, f"{APP}/_idp/{path}", allow_redirects=False,
        **({} if body is None else {"json": body}), **more)
    is_json = answer.headers.get("Content-Type", "").startswith("application/json")
    return answer, answer.json() if is_json and answer.content else None


def done(method, path, body=None, **more):
    answer, found = idp(method, path, body, **more)
    assert answer.ok, answer.text
    return found


def failed(answer, status, error, words=None):
    """Expects an error of OAuth."""
    found = answer.json()
    assert (answer.status_code, found["error"]) == (status, error), (answer.status_code, found)
    assert words in (None, found.get("error_description")), found


def changed(parameters, changes):
    """The parameters with changes; None removes one."""
    return {name: value for name, value in {**parameters, **changes}.items() if value is not None}


developer = ECKey.generate_key("P-256", {"kid": "KEY1234567"})


def apple_secret(client, key=developer):
    now = int(time.time())
    return jwt.encode(
        {"alg": "ES256", "kid": key.kid},
        {"iss": "TEAM123456", "sub": client, "aud": "https://appleid.apple.com", "iat": now,
         "exp": now + 300}, key)


class App:
    def __init__(self, provider, client, paths, secret, **parameters):
        self.provider, self.client, self.secret = provider, client, secret
        self.authorize, self.token = paths
        self.parameters = {
            "client_id": client, "redirect_uri": CALLBACK, "state": "st", "nonce": "n-1",
            "response_type": "code", **parameters}

    def but(self, **changes):
        other = copy.copy(self)
        other.parameters = changed(self.parameters, changes)
        return other

    def page(self, **more):
        query = urllib.parse.urlencode(self.parameters)
        return idp("GET", f"{self.provider}{self.authorize}?{query}", **more)[0]

    def approve(self, account="ada@example.com"):
        """The parameters of the redirect, without showing the page."""
        return arrival(self.but(latchkey_account=account).page())

    def choose(self, **fields):
        """Submits the page."""
        return arrival(self.decide(Form(self.page().text).fields["transaction"], **fields))

    def decide(self, transaction, **fields):
        return idp(
            "POST", f"{self.provider}/decision", data={"transaction": transaction, **fields})[0]

    def code(self, account="ada@example.com"):
        return self.approve(account)["code"]

    def redeem(self, code, headers=None, **changes):
        form = changed({
            "grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK,
            "client_id": self.client, **self.secret()}, changes)
        return idp("POST", f"{self.provider}{self.token}", data=form, headers=headers)[0]

    def tokens(self, account="ada@example.com"):
        answer = self.redeem(self.code(account))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refresh(self, token, **changes):
        return self.redeem(
            None, grant_type="refresh_token", refresh_token=token, redirect_uri=None,
            code_verifier=None, **changes)

    def claims(self, token, audience=None):
        """The claims of a token that the provider's published keys verify."""
        configuration = done("GET", f"{self.provider}/.well-known/openid-configuration")
        keys = KeySet.import_key_set(requests.get(configuration["jwks_uri"]).json())
        found = jwt.decode(token, keys, algorithms=["RS256", "ES256"])
        jwt.JWTClaimsRegistry(
            iss={"essential": True, "value": configuration["issuer"]},
            aud={"essential": True, "value": audience or self.client}, leeway=5,
        ).validate(found.claims)
        return found.claims

    def mint(self, audience=None, **body):
        if audience:
            body["audience"] = audience
        return self.claims(done("POST", f"{self.provider}/mint", body)["idToken"], audience)


def arrival(answer):
    """What a redirect, or a page that submits itself, brings to the app."""
    if "Location" in answer.headers:
        assert answer.status_code == 303, answer.status_code
        url = urllib.parse.urlsplit(answer.headers["Location"])
        pairs = urllib.parse.parse_qsl(url.fragment or url.query, keep_blank_values=True)
        return dict(pairs, url=answer.headers["Location"])
    assert answer.status_code == 200, answer.text
    form = Form(answer.text)
    return {**form.fields, "url": form.action}


apple = App(
    "apple", "com.example.app", ("/auth/authorize", "/auth/token"),
    lambda: {"client_secret": apple_secret("com.example.app")},
    response_mode="form_post", scope="name email")
google = App(
    "google", "client.apps.googleusercontent.com", ("/o/oauth2/v2/auth", "/token"),
    lambda: {"code_verifier": VERIFIER}, scope="openid email profile",
    code_challenge=CHALLENGE, code_challenge_method="S256")
acme = App(
    "acme", "acme-client", ("/authorize", "/token"), lambda: {"client_secret": "s3cret/+ ?"},
    scope="openid email profile offline_access")
offline = google.but(access_type="offline")


def user(arrived):
    return json.loads(arrived["user"])
