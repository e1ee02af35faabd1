"""Client ID metadata documents."""

import contextlib
import sqlite3
import tempfile
import time

import server
from browser import Browser
from client import Client, at_once, each, good, refused, signed_in
from document_host import DocumentHost
from server import main, of_one_process
from settings import DEVICE, KEYS, public_key


def _is_page(client_id, where=None, **changes):
    members = {"client_id": client_id, "redirect_uris": ["http://localhost/callback"],
               "token_endpoint_auth_method": "none"}
    request = Client(members, where).request(**changes)
    answer = (where or main()).call("GET", request.url)
    assert answer.status_code == 400 and "Location" not in answer.headers, (
        answer.status_code, answer.headers.get("Location"))
    return answer.text


def a_client_document_works():
    """B26, B47, K2, Q1, Q4, Q9: the client signs in on a loopback port, is asked each time, and
    refreshes."""
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
    """B48, Q5: keys and a list of methods, as in ChatGPT's document; unknown members and scopes."""
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


def a_device_can_have_a_document():
    """D7, Q4: a document with the device grant and without redirect URIs is accepted."""
    client = Client(server.documents().client(
        "/set", redirect_uris=None, grant_types=[DEVICE, "refresh_token"]))
    device = good(client.begin(scope="openid"))
    page = signed_in().typed(device["user_code"])
    assert "nobody has checked its name" in page.text and client.id in page.text, page
    signed_in().decide(page, "allow")
    assert client.is_alive(good(client.poll(device["device_code"])))
    refused(Client(server.documents().client("/unset")).begin(), "unauthorized_client")


def bad_documents_are_refused():
    """B7, B50, B52, Q2, Q4, Q7: with a page, whatever was found; redirects are not followed."""
    host = server.documents()
    host.answers("/moved", b"", 302, Location=host.url + "/keys.json")
    each([
        ({"client_id": host.url + "/other"},), ({"client_id": None},), ({"client_name": None},),
        ({"client_name": " "},), ({"redirect_uris": None},), ({"redirect_uris": []},),
        ({"redirect_uris": ["javascript:alert(1)"]},), ({"client_secret": "x" * 64},),
        ({"redirect_uris": ["http://evil.example/"]},),
        ({"token_endpoint_auth_method": "client_secret_basic"},),
        ({"token_endpoint_auth_method": "private_key_jwt"},), ({"padding": "x" * 11_000},),
        ({"first_party": True},), ({"allowed_resources": ["https://api1.example/"]},),
        ({"resource": "https://api1.example/"},), ({"client_name": "a\u202eb"},),
        *(({"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": uri},) for uri in (
            "http://localhost/keys", "https://10.0.0.1/keys", host.url + "/moved",
            host.url + "/missing", host.url + "/good")),
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


@of_one_process
def documents_are_cached():
    """B49, Q6, Q8: one fetch for many concurrent requests; a code is redeemed while the host is
    down."""
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


@of_one_process
def a_document_is_fetched_again_when_it_is_old():
    """B49, Q6: according to `max-age`, between five minutes and a day."""
    host, browser = server.documents(), Browser(main(), main().account()).sign_in()
    rows = [("/plain", {}, 290, 20), ("/hour", {"Cache-Control": "max-age=3600"}, 3500, 200),
            ("/short", {"Cache-Control": "no-store, max-age=0"}, 290, 20),
            ("/long", {"Cache-Control": "public, max-age=999999"}, 86_300, 200)]

    def check(path, headers, young, more):
        client = Client(host.client(path, headers=headers))
        for seconds, times in ((0, 1), (young, 1), (more, 2)):
            if seconds:
                main().age(_row(client.id), seconds)
            browser.open(client.request(prompt="none").url)
            assert host.fetched.count(path) == times, (path, seconds, host.fetched)
    each(rows, check)


def _row(url):
    """The key of a document's row. It is a hash, so the row is found by its content."""
    with contextlib.closing(sqlite3.connect(main().home / "latchkey.db", timeout=10)) as store:
        return next(row[0].decode() for row in store.execute(
            "SELECT partition FROM items WHERE instr(partition, 'CLIENTDOCUMENT#')"
            " AND instr(attributes, ?)", [url.encode()]))


@of_one_process
def a_changed_document_needs_new_consent():
    """K9: if name, redirect URIs or keys differ from those that the user has seen."""
    host, browser = server.documents(), Browser(main(), main().account()).sign_in()
    members = {"token_endpoint_auth_method": "private_key_jwt",
               "redirect_uris": ["https://chat.example.com/back"],
               "jwks": {"keys": [public_key("ES256")]}}

    def code(**changes):
        made = Client(host.client("/changing", **members | changes))
        before = browser.consents
        made.code(browser)
        return made, browser.consents - before
    client, asked = code()
    assert asked == 1 and code()[1] == 0
    for changes in ({"client_name": "Bank"}, {"redirect_uris": [
            "https://chat.example.com/back", "https://chat.example.com/other"]},
            {"jwks": {"keys": [public_key("RS256")]}}):
        host.client("/changing", **members | changes)
        main().age(_row(client.id), 400)
        assert code(**changes)[1] == 1, changes
        assert code(**changes)[1] == 0, changes


@of_one_process
def a_code_is_refused_after_a_change_of_the_document():
    """B28, K9, Q8: the user has decided about another description."""
    host, browser = server.documents(), Browser(main(), main().account()).sign_in()
    client = Client(host.client("/meanwhile"))
    request, code = client.code(browser)
    waiting = client.request()
    page = browser.walk(browser.open(waiting.url), None)
    host.client("/meanwhile", client_name="Bank")
    main().age(_row(client.id), 400)
    Browser(main()).open(client.request(prompt="none").url)
    refused(client.redeem(request, code), "invalid_grant")
    assert browser.walk(page).left is None


def slow_and_untrusted_hosts_are_refused():
    """B51, Q2, Q7: with a page within seconds. Strangers do not see the reason; the log has it."""
    host = server.documents()
    began, logged = time.monotonic(), len(main().log)
    host.answers("/slow", b"{}", pause=30)
    slow = _is_page(host.url + "/slow")
    assert time.monotonic() - began < 10
    with tempfile.TemporaryDirectory() as folder:
        other = DocumentHost(folder)
        other.client("/client")
        untrusted = _is_page(other.url + "/client")
        assert not other.fetched
    missing = _is_page(host.url + "/missing")
    assert slow.replace("/slow", "/missing") == missing, slow
    assert "ertificate" not in untrusted, untrusted
    log = "".join(main().log[logged:])
    assert host.authority in log and "clientDocument" in log, log


def fetches_are_limited():
    """B49, Q6: one address lets ten documents be fetched in a minute."""
    host = server.documents()
    here = server.Server("/id", {"OAUTH": "on", "OAUTH_CLIENT_DOCUMENTS": "on",
                                 "SSL_CERT_FILE": str(host.certificate)})
    seen = []
    for index in range(25):
        client = Client(host.client(f"/limited/{index}"), here)
        seen.append(here.call("GET", client.request().url).status_code)
    fetched = len([path for path in host.fetched if path.startswith("/limited/")])
    # The end of a minute may be among them.
    assert 10 <= fetched <= 20 and set(seen) & {400, 429}, (fetched, seen)
    assert here.call("GET", Client(host.client("/limited/0"), here).request().url).ok


def errors_before_a_sign_in_are_pages():
    """Q7, U9: an error of such a client is a page until somebody has signed in."""
    client = Client(server.documents().client("/stranger"))
    page = Browser(main()).open(client.request(response_type="token").url)
    assert page.left is None, page
    page = Browser(main()).open(client.request(prompt="none").url)
    assert page.answer["error"] == "login_required", page


@of_one_process
def keys_of_a_document_may_change():
    """Q5, Q6: a newly published key is accepted after a minute."""
    host = server.documents()
    host.answers("/rotating.json", {"keys": [public_key("ES256")]})
    client = Client(host.client(
        "/rotating", {"Cache-Control": "max-age=86400"}, jwks_uri=host.url + "/rotating.json",
        token_endpoint_auth_method="private_key_jwt", redirect_uris=["https://chat.example.com/x"]))
    for algorithm in ("ES256", "RS256"):
        host.answers("/rotating.json", {"keys": [public_key(algorithm)]})
        if algorithm == "RS256":
            server.main().age("CLIENTDOCUMENT#", 120)
        client.authentication = lambda algorithm=algorithm: ({}, {
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": client.assertion(algorithm=algorithm)})
        assert good(client.redeem(*client.code()))["access_token"]


@of_one_process
def unknown_keys_of_one_client_do_not_delay_others():
    """B49, Q6: assertions with unknown keys cause few fetches of that client's document."""
    host = server.documents()
    here = server.Server("/id", {"OAUTH": "on", "OAUTH_CLIENT_DOCUMENTS": "on",
                                 "SSL_CERT_FILE": str(host.certificate)})
    browser, clients = Browser(here, here.account()).sign_in(), {}
    for name in ("/attacked", "/honest"):
        host.answers(name + ".json", {"keys": [public_key("ES256")]})
        clients[name] = client = Client(host.client(
            name, jwks_uri=host.url + name + ".json", token_endpoint_auth_method="private_key_jwt",
            redirect_uris=["https://chat.example.com/x"]), here)
    request, code = client.code(browser)
    clients["/attacked"].code(browser)
    here.age("CLIENTDOCUMENT#", 120)
    host.answers("/attacked", b"", 500)
    before = len(host.fetched)
    for index in range(30):
        answer = here.call("POST", "/oauth/token", data={
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": clients["/attacked"].assertion(header={"kid": str(index)})})
        assert answer.status_code in (401, 429), answer.text
    # The end of a minute may be among them.
    assert 1 <= host.fetched[before:].count("/attacked") <= 10, host.fetched[before:]
    host.answers("/honest.json", {"keys": [public_key("RS256")]})
    client.authentication = lambda: ({}, {
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": client.assertion(algorithm="RS256")})
    assert good(client.redeem(request, code))["access_token"]
