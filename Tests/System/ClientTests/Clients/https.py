"""An app that speaks HTTPS with the emulator, and expects https issuers (App Transport Security)."""

import json
import ssl
import urllib.request

import jwt
from judge import APP, case, run
from people import http

_, health = http("GET", "/_emulator/health")
SECURE = health["issuerUrl"]
with urllib.request.urlopen(f"{APP}/_emulator/ca.pem") as answer:
    context = ssl.create_default_context(cadata=answer.read().decode())


def secure(method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        path if path.startswith("https:") else SECURE + path, method=method, headers=headers,
        data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, context=context) as answer:
        return json.load(answer)


@case
def providers_and_the_app_are_https_issuers():
    assert SECURE.startswith("https://127.0.0.1:"), SECURE
    for path, issuer in (("", SECURE), ("/_idp/apple", f"{SECURE}/_idp/apple"),
                         ("/_idp/google", f"{SECURE}/_idp/google")):
        document = secure("GET", f"{path}/.well-known/openid-configuration")
        assert document["issuer"] == issuer, document
        assert secure("GET", document["jwks_uri"])["keys"], document


@case
def a_sign_in_works_end_to_end():
    minted = secure("POST", "/_idp/apple/mint", {"email": "ada@example.com"})["idToken"]
    claims = jwt.decode(minted, options={"verify_signature": False})
    assert claims["iss"] == f"{SECURE}/_idp/apple", claims
    # The function fetches the provider's keys by HTTPS, and trusts the local authority for it.
    session = secure("POST", "/auth/signin", {"provider": "apple", "idToken": minted})
    token = session["accessToken"]
    keys = jwt.PyJWKClient(f"{SECURE}/.well-known/jwks.json", ssl_context=context)
    claims = jwt.decode(
        token, keys.get_signing_key_from_jwt(token).key, algorithms=["ES256"],
        audience="latchkey", issuer=SECURE)
    assert secure("GET", "/auth/me", token=token)["id"] == claims["sub"]


run()
