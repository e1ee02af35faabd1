"""An app that signs users in at the emulated Google: authorization code with PKCE, by Authlib."""

import html.parser

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet
from judge import APP

ISSUER = f"{APP}/_idp/google"
CLIENT = "judge.apps.googleusercontent.com"
SECRET = "judges-secret"
REDIRECT = "http://127.0.0.1:9/callback"
discovery = requests.get(f"{ISSUER}/.well-known/openid-configuration").json()


def register(client=CLIENT):
    registered = requests.put(
        f"{ISSUER}/clients/{client}",
        json={"id": client, "secret": SECRET, "redirectURIs": [REDIRECT]})
    assert registered.ok, registered.text


class Form(html.parser.HTMLParser):
    """The fields of the form in a page, as a browser would send them unchanged."""

    def __init__(self, page):
        super().__init__()
        self.action = None
        self.fields = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.action = found["action"]
        if tag == "input" and (found.get("type") != "radio" or "checked" in found):
            self.fields[found["name"]] = found.get("value", "")


class App:
    """One sign-in: the app's session and the browser's."""

    def __init__(self, client=CLIENT):
        self.client = client
        self.session = OAuth2Session(
            client, SECRET, scope="openid email profile", redirect_uri=REDIRECT,
            code_challenge_method="S256")
        self.browser = requests.Session()
        self.verifier = generate_token(48)
        self.nonce = generate_token(20)

    def authorize(self, email="ada@example.com", **more):
        """Submits the page, and returns the URL of the redirect."""
        url, self.state = self.session.create_authorization_url(
            discovery["authorization_endpoint"], code_verifier=self.verifier, nonce=self.nonce,
            **more)
        page = self.browser.get(url)
        assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
        form = Form(page.text)
        answer = self.browser.post(
            form.action, allow_redirects=False,
            data={**form.fields, "account": "new", "new_email": email, "decision": "approve"})
        assert answer.status_code in (302, 303), answer.text
        return answer.headers["Location"]

    def token(self, location):
        return self.session.fetch_token(
            discovery["token_endpoint"], authorization_response=location, state=self.state,
            code_verifier=self.verifier)

    def claims(self, token):
        """The claims of the ID token, verified as in OpenID Connect Core."""
        keys = KeySet.import_key_set(requests.get(discovery["jwks_uri"]).json())
        found = jwt.decode(token["id_token"], keys, algorithms=["RS256"])
        claims = CodeIDToken(
            found.claims, found.header,
            options={
                "iss": {"values": [discovery["issuer"]]}, "aud": {"value": self.client},
                "sub": {"essential": True}},
            params={"nonce": self.nonce, "client_id": self.client,
                    "access_token": token["access_token"]})
        claims.validate(leeway=5)
        return claims
