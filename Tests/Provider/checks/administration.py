"""Clients of administrators."""

import shutil
import tempfile

import server
from browser import Browser
from client import Client, each, good, refused
from server import bare, main, of_one_process, off
from settings import API1

DESCRIPTION = {
    "client_name": "Partner Shop", "redirect_uris": ["https://partner.example.com/cb"],
    "grant_types": ["authorization_code", "refresh_token"]}


def _added(**members):
    """A client that an administrator adds."""
    answer = main().administer("POST", "/auth/clients", **DESCRIPTION | members)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Cache-Control"] == "no-store", answer.headers
    return Client({"token_endpoint_auth_method": "client_secret_basic"} | answer.json())


def _end(client, change):
    verb = ("DELETE", "") if change == "delete" else ("POST", "/" + change)
    return main().administer(verb[0], f"/auth/clients/{client.id}{verb[1]}")


def _listed(client):
    found = main().administer("GET", "/auth/clients").json()["clients"]
    return next((one for one in found if one["client_id"] == client.id), None)


def an_administrator_adds_and_ends_clients():
    """N8, B52: page and JSON show it; disabled it gets nothing and its tokens are dead."""
    here, client = main(), _added()
    assert client.id.startswith("lkc_") and len(client.secret) >= 43, client.members
    assert _listed(client)["source"] == "administrator" and client.secret not in str(
        _listed(client)), _listed(client)
    tokens = client.grant(Browser(here, here.account()).sign_in(), scope="openid email")
    assert client.userinfo(tokens["access_token"]).ok
    assert client.introspect(tokens["access_token"])["active"]
    assert _end(client, "disable").json()["disabledAt"], _listed(client)
    assert client.userinfo(tokens["access_token"]).status_code == 401
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)
    page = Browser(here, here.user).sign_in().open(client.request().url)
    assert 400 <= page.status < 500 and page.location is None, page
    assert "disabledAt" not in _end(client, "enable").json()
    assert client.userinfo(tokens["access_token"]).ok and client.is_alive(tokens)
    assert _end(client, "delete").status_code == 204 and not _listed(client)
    assert client.userinfo(tokens["access_token"]).status_code == 401
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)
    assert _end(client, "delete").status_code == 404
    audit = main().administer("GET", "/auth/admin/audit?chain=ADMINISTRATION").text
    assert all(client.id + word in audit for word in ('"', " disable", " delete")), audit[:900]


def a_client_gets_another_secret():
    """Two secrets are valid at once, a third one ends the first; a leaked one ends at once."""
    client = _added()

    def replace(**members):
        answer = main().administer("POST", f"/auth/clients/{client.id}/secret", **members)
        assert answer.status_code == 200 and "no-store" in answer.headers["Cache-Control"], (
            answer.text)
        return answer.json()

    def valid(*secrets):
        """Which secrets authenticate the client."""
        for secret, expected in secrets:
            client.secret = secret
            answer = client.post("/oauth/introspect", {"token": "x"})
            assert answer.status_code == (200 if expected else 401), (secret, answer.text)

    first, second = client.secret, replace()
    valid((first, True), (second["client_secret"], True))
    assert _listed(client)["formerSecretEndsAt"] == second["formerSecretEndsAt"]
    third = replace(former="kept")["client_secret"]
    valid((first, False), (second["client_secret"], True), (third, True))
    assert "formerSecretEndsAt" not in _end(client, "end-former-secret").json()
    valid((second["client_secret"], False), (third, True))
    fourth = replace(former="ended")
    assert "formerSecretEndsAt" not in fourth, fourth
    valid((third, False), (fourth["client_secret"], True))
    assert third not in str(_listed(client)) and main().administer(
        "POST", "/auth/clients/web/secret").status_code == 409
    public = _added(token_endpoint_auth_method="none", redirect_uris=["http://127.0.0.1/cb"])
    assert main().administer("POST", f"/auth/clients/{public.id}/secret").status_code == 400


def all_access_of_a_client_ends_at_once():
    """Codes, tokens and consents end, for a stored, a configured and a public client."""
    def check(client):
        browser = Browser(main(), main().account()).sign_in()
        scope = "openid offline_access"
        tokens, asked = client.grant(browser, scope=scope), browser.consents
        assert client.is_alive(tokens)
        request = client.request(scope=scope)
        code = request.run(browser)["code"]
        answer = main().administer("POST", f"/auth/clients/{client.id}/end-grants", reason="Leak")
        assert answer.status_code == 204, answer.text
        assert client.userinfo(tokens["access_token"]).status_code == 401
        refused(client.refresh(tokens["refresh_token"]), "invalid_grant")
        refused(client.redeem(request, code), "invalid_grant")
        if client.secret:
            assert not client.introspect(tokens["access_token"])["active"]
        asked = browser.consents
        again = client.grant(browser, scope=scope)
        assert browser.consents == asked + 1 and client.is_alive(again), browser.consents
        assert _listed(client)["grantsEndedAt"], _listed(client)

    each([_added(), Client("web"), Client("cli")], check)
    assert main().administer("POST", "/auth/clients/nobody/end-grants").status_code == 404


def access_is_listed_by_user_and_by_client():
    """N8: also for a self-described program, whose ID is a URL and not in the path."""
    here = main()

    def check(client):
        browsers = [Browser(here, here.account()).sign_in() for _ in range(3)]
        ids = [browser.user.id for browser in browsers]
        # A second decision of the first user changes nothing.
        for browser in [*browsers, browsers[0]]:
            client.grant(browser, scope="openid email", prompt="consent")
        (granted,) = here.administer(
            "GET", f"/auth/users/{ids[0]}/applications").json()["applications"]
        assert granted["client_id"] == client.id, granted
        path = f"/auth/clients/{granted['id']}"

        def listed():
            """The users, by pages of two."""
            users, after = [], ""
            while after is not None:
                page = here.administer("GET", f"{path}/users?limit=2{after}").json()
                assert len(page["users"]) <= 2, page
                users += [user["id"] for user in page["users"]]
                after = "&after=" + page["next"].replace("#", "%23") if "next" in page else None
            return users

        assert listed() == ids[::-1], (listed(), ids)
        first = here.administer("GET", f"{path}/users").json()["users"][-1]
        assert first["since"] == granted["since"] and first["scope"] == "openid email", first
        page = here.call("GET", f"/admin/ui/clients/{granted['id']}/users",
                         headers=here.administrator)
        assert page.ok and all(name in page.text for name in ids), page.text
        here.call("DELETE", f"/auth/applications/{granted['id']}",
                  token=browsers[0].user.tokens["accessToken"])
        here.call("DELETE", "/auth/account", token=browsers[1].user.tokens["accessToken"])
        assert listed() == ids[2:], (listed(), ids)
        answer = here.administer("POST", f"{path}/end-grants")
        assert answer.status_code == 204, answer.text
        assert not listed()
        client.grant(browsers[2])
        assert listed() == ids[2:], (listed(), ids)

    public = _added(token_endpoint_auth_method="none", redirect_uris=["http://127.0.0.1/cb"])
    each([_added(), public, Client(server.documents().client("/listed"))], check)


def administrators_clients_follow_the_operators_rules():
    """A9, O3: limits to resources and scopes; first party; a public client has no secret."""
    browser = Browser(main(), main().account()).sign_in()
    client = _added(allowed_resources=[API1], scope="openid a:read")
    assert client.request(resource="https://api2.example/v2").run(browser)["error"] == (
        "invalid_target")
    tokens = client.grant(browser, resource=API1, scope="openid a:read a:write")
    assert tokens["scope"] == "openid a:read", tokens
    public = _added(token_endpoint_auth_method="none", redirect_uris=["http://127.0.0.1/cb"])
    assert public.secret is None and public.grant(browser)["access_token"]
    own, browser.consents = _added(first_party=True), 0
    assert own.grant(browser)["access_token"] and not browser.consents
    server = Client(main().administer(
        "POST", "/auth/clients", client_name="Shelf", grant_types=[], resource=API1,
    ).json() | {"token_endpoint_auth_method": "client_secret_basic"})
    assert server.introspect(tokens["access_token"])["active"]


def bad_clients_of_administrators_are_refused():
    """U4, U5: the error names the member; only administrators may add a client."""
    def check(status, code, change, word):
        members = {name: value for name, value in (DESCRIPTION | change).items()
                   if value is not None}
        answer = main().administer("POST", "/auth/clients", **members)
        error = answer.json().get("error", {})
        assert (answer.status_code, error.get("code")) == (status, code), answer.text
        assert word in error["message"], error

    bad = "INVALID_CLIENT_METADATA"
    each([
        (400, "INVALID_REDIRECT_URI", {"redirect_uris": ["javascript:alert(1)"]}, "redirect_uris"),
        (400, "INVALID_REDIRECT_URI", {"redirect_uris": None}, "redirect_uris"),
        (400, bad, {"client_secret": "mine"}, "client_secret"),
        (400, bad, {"client_id": "mine"}, "client_id"),
        (400, bad, {"grant_type": ["authorization_code"]}, "grant_types"),
        (400, bad, {"allowed_resources": ["https://other.example/"]}, "allowed_resources"),
        (400, bad, {"token_endpoint_auth_method": "tls_client_auth"},
         "token_endpoint_auth_method"),
    ], check)
    user = main().account()
    for token in (None, user.tokens["accessToken"], Client("web").grant()["access_token"]):
        for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/web")):
            answer = main().call(method, "/auth/clients" + path, token=token, json=DESCRIPTION)
            assert answer.status_code in (401, 403), (method, path, answer.text)
    assert main().administer("DELETE", "/auth/clients/web").status_code == 409
    assert off().administer("GET", "/auth/clients").status_code == 404


def without_the_password_no_client_is_added():
    """N8: the session cookie of an administrator is not enough."""
    here = bare()
    for method, path in (("POST", ""), ("POST", "/web/disable")):
        answer = here.call(method, "/auth/clients" + path, headers=here.administrator,
                           json=DESCRIPTION | {"reason": "a check"})
        assert answer.status_code == 400 and '"field":"password"' in answer.text, (
            method, path, answer.text)
    answer = here.call("DELETE", "/auth/clients/web", headers=here.administrator,
                       json={"password": "wrong", "reason": "a check"})
    assert answer.status_code == 401, answer.text


def registered_apps_are_listed_and_end_too():
    """N8: an administrator sees and ends self-registered clients."""
    here = main()
    answer = here.call("POST", "/oauth/register", token=here.settings[
        "OAUTH_REGISTRATION_TOKEN"], json=DESCRIPTION | {"token_endpoint_auth_method": "none"})
    assert answer.status_code == 201, answer.text
    client = Client(answer.json())
    tokens = client.grant(Browser(here, here.account()).sign_in())
    assert _listed(client)["source"] == "registration"
    assert _end(client, "disable").ok
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)
    assert _end(client, "enable").ok
    assert good(client.refresh(tokens["refresh_token"]))["access_token"]


@of_one_process
def clients_that_the_settings_exclude_are_marked():
    """B51, N8, O1: after a change of `JWT_ALGORITHM`; to everybody else they are unknown."""
    folder = tempfile.mkdtemp()
    settings = {
        "OAUTH": "on", "STORE": f"sqlite:{folder}/latchkey.db",
        "ADMIN_PASSWORD_HASH": server.ADMINISTRATOR[1]}
    before = server.Server("/id", settings)
    answer = before.administer(
        "POST", "/auth/clients", **DESCRIPTION | {"id_token_signed_response_alg": "ES256"})
    client = Client(answer.json() | {"token_endpoint_auth_method": "client_secret_basic"}, before)
    browser = Browser(before, before.account()).sign_in()
    tokens = client.grant(browser, scope="openid offline_access")
    assert client.introspect(tokens["access_token"])["active"]
    before.stop()
    here = server.Server("/id", settings | {"JWT_ALGORITHM": "RS256"})
    client.server, page = here, here.call("GET", client.request().url.replace(
        before.issuer, here.issuer))
    assert page.status_code == 400 and "Location" not in page.headers, page.text
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)
    refused(client.token(grant_type="authorization_code"), "invalid_client", status=401)
    refused(client.revoke(tokens["refresh_token"]), "invalid_client", status=401)
    lines = here.logged('"event":"client_not_usable"', 4)
    assert "id_token_signed_response_alg must be RS256" in lines[0], lines
    (found,) = here.administer("GET", "/auth/clients").json()["clients"]
    assert found["client_id"] == client.id and found["client_name"] == "Partner Shop", found
    assert found["problem"] == "id_token_signed_response_alg must be RS256.", found
    assert found["redirect_uris"] == DESCRIPTION["redirect_uris"], found
    for path, word in (("", "cannot be used"), ("/" + client.id, "must be RS256")):
        page = here.call("GET", "/admin/ui/clients" + path, headers=here.administrator)
        assert page.status_code == 200 and word in page.text, page.text
    assert here.administer("POST", f"/auth/clients/{client.id}/disable").json()["problem"]
    assert here.administer("DELETE", f"/auth/clients/{client.id}").status_code == 204
    here.stop()
    shutil.rmtree(folder)
    # A client of the settings stops the start.
    status, log = main().start(JWT_ALGORITHM="EdDSA")
    assert status == 1 and "keyed: id_token_signed_response_alg must be RS256 or EdDSA" in log, log
