"""Client ID metadata documents."""

import server
from browser import Browser
from client import Client, at_once, each, good, refused, signed_in
from server import main
from settings import KEYS, public_key


def _is_page(client_id, where=None, **changes):
    members = {"client_id": client_id, "redirect_uris": ["http://localhost/callback"],
               "token_endpoint_auth_method": "none"}
    request = Client(members, where).request(**changes)
    answer = (where or main()).call("GET", request.url)
    assert answer.status_code == 400 and "Location" not in answer.headers, (
        answer.status_code, answer.headers.get("Location"))
    return answer.text


def a_client_document_works():
    """B26, B47, K2, Q1, Q4, Q9: it signs in on a loopback port, is asked each time, refreshes."""
    host, browser = server.documents(), Browser(main(), main().account()).sign_in()
    client = Client(host.client("/one/client.json"))
    client.redirect_uri = "http://127.0.0.1:57470/callback"
    page = browser.walk(browser.open(client.request().url), None)
    for word in ("Document App", host.authority, "127.0.0.1"):
        assert word in page.text, f"{word}: {page}"
    first, second = client.grant(browser), client.grant(browser)
    assert browser.consents == 2 and client.is_alive(first) and client.is_alive(second)
    assert main().verified(first["id_token"], client.id, "JWT")["aud"] == client.id
    refused(Client("cli").refresh(first["refresh_token"]), "invalid_grant")
    assert main().metadata["client_id_metadata_document_supported"] is True
    assert client.id in main().call(
        "GET", "/auth/applications", token=browser.user.tokens["accessToken"]).text


def documents_with_keys_and_unknown_members_work():
    """B48, Q5: keys and a choice of methods, as ChatGPT has them; unknown members and words."""
    host = server.documents()
    host.answers("/keys.json", {"keys": [public_key("RS256")]})
    client = Client(host.client(
        "/chat", token_endpoint_auth_method="private_key_jwt",
        token_endpoint_auth_methods_supported=["none", "private_key_jwt"],
        redirect_uris=["https://chat.example.com/connector"], jwks_uri=host.url + "/keys.json",
        grant_types=["authorization_code", "refresh_token", "urn:example:unknown"], unknown=[1]))
    request, code = client.code()
    refused(client.token(grant_type="authorization_code", code=code, client_assertion="x"),
            "invalid_client", "invalid_request", status=401)
    client.authentication = lambda: ({}, {
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": client.assertion(KEYS["RS256"], "RS256")})
    assert good(client.redeem(request, code))["refresh_token"]
    client = Client(host.client("/claude", token_endpoint_auth_method=None, grant_types=None) | {
        "token_endpoint_auth_method": "none"})
    assert client.grant(redirect_uri="http://localhost:50000/callback")["access_token"]


def bad_documents_are_refused():
    """B7, B50, B52, Q2, Q4, Q7: a page, whatever was found; nothing is followed."""
    host = server.documents()
    each([
        ({"client_id": host.url + "/other"},), ({"client_id": None},), ({"client_name": None},),
        ({"client_name": " "},), ({"redirect_uris": None},), ({"redirect_uris": []},),
        ({"redirect_uris": ["javascript:alert(1)"]},), ({"client_secret": "x" * 64},),
        ({"redirect_uris": ["http://evil.example/"]},),
        ({"token_endpoint_auth_method": "client_secret_basic"},),
        ({"token_endpoint_auth_method": "private_key_jwt"},), ({"padding": "x" * 11_000},),
    ], lambda members: (host.client("/bad", **members), _is_page(
        host.url + "/bad", redirect_uri=(members.get("redirect_uris") or [
            "http://localhost/callback"])[0])))
    good_one = host.client("/good")
    each([
        (good_one, 404), (good_one, 500), (good_one, 201), (b"[]", 200), (b"{", 200), (b"", 200),
        (b"<html>", 200),
    ], lambda body, status: (host.answers("/good", body, status), _is_page(host.url + "/good")))
    host.answers("/moved", b"", 302, Location=host.url + "/one/client.json")
    fetched = host.fetched.count("/one/client.json")
    _is_page(host.url + "/moved")
    assert host.fetched.count("/one/client.json") == fetched, host.fetched
    # An invalid document is not cached.
    host.client("/good")
    assert "code" in Client(good_one).request().run()


def other_addresses_are_not_fetched():
    """B50, Q1, Q3, Q10: other forms of URLs, hosts that are not listed, private addresses."""
    host = server.documents()
    host.client("/listed")
    before = len(host.fetched)
    each([
        host.url, host.url + "/", host.url + "/a/../listed", host.url + "/%2e%2e/listed",
        host.url + "/listed#x", host.url.replace("//", "//user@") + "/listed",
        host.url.replace("https", "http") + "/listed", host.url + "/listed\\x",
        host.url + "/li sted", host.url + "/" + "x" * 2048, host.url.upper() + "/listed",
        "https://10.0.0.1/client", "https://169.254.169.254/latest", "https://[fe80::1]/x",
    ], lambda url: _is_page(url))
    _is_page(host.url + "/listed", server.bare())
    # A server with a public address fetches nothing of its own machine.
    _is_page(host.url + "/listed", server.Server("", {
        "ISSUER": "https://auth.example.com", "OAUTH": "on", "OAUTH_CLIENT_DOCUMENTS": "on",
        "SSL_CERT_FILE": str(host.certificate)}))
    assert len(host.fetched) == before, host.fetched[before:]


def documents_are_cached():
    """B49, Q6, Q8: one fetch for many requests at once; a code is redeemed without the host."""
    host = server.documents()
    client = Client(host.client("/cached", headers={"Cache-Control": "max-age=600"}))
    browser = signed_in()
    requests = [(client.request(prompt="none"), browser.copy()) for _ in range(8)]
    at_once(lambda pair: pair[1].open(pair[0].url), requests)
    assert 1 <= host.fetched.count("/cached") <= 2, host.fetched
    request, code = client.code(browser)
    host.answers("/cached", b"", 500)
    tokens = good(client.redeem(request, code))
    assert client.is_alive(tokens) and host.fetched.count("/cached") <= 2, host.fetched


def errors_before_a_sign_in_are_pages():
    """Q7, U9: an error of such a client is a page until somebody has signed in."""
    client = Client(server.documents().client("/stranger"))
    page = Browser(main()).open(client.request(response_type="token").url)
    assert page.left is None, page
    page = Browser(main()).open(client.request(prompt="none").url)
    assert page.answer["error"] == "login_required", page
