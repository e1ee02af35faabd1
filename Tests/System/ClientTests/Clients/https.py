"""An app that uses HTTPS with the emulator, and expects https issuers (App Transport Security)."""

import json
import ssl
import urllib.error
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


@case
def a_page_of_the_app_may_not_use_the_controls():
    for method, path in (
            ("GET", "/_emulator/mail"), ("POST", "/_emulator/expire-now"),
            ("POST", "/_idp/apple/mint")):
        request = urllib.request.Request(SECURE + path, method=method, headers={
            "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"})
        try:
            urllib.request.urlopen(request, context=context)
        except urllib.error.HTTPError as error:
            assert error.code == 403, (path, error.code)
            assert health["controlUrl"] in json.load(error)["message"]
        else:
            raise AssertionError(f"{path} was answered")


run()
