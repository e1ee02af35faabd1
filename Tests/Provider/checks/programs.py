"""Tokens that programs have for themselves (client credentials)."""

import secrets

import server
import settings
from browser import Page
from client import Client, each, good, refused
from requests_oauth2client import DPoPKey
from server import main, of_one_process, particular
from settings import API1, API2, AUDIENCE, DEVICE, OWN, public_key, secret


def a_program_gets_a_token_for_itself():
    """W1, W2, C9: `sub` is the program; no refresh token, no ID token, scopes of one server."""
    for name in ("batch", "keyed"):
        client = Client(name)
        tokens = good(client.own(scope="a:read", resource=API1))
        assert tokens.keys() == {"access_token", "token_type", "expires_in", "scope"}, tokens
        assert tokens["scope"] == "a:read" and tokens["token_type"] == "Bearer", tokens
        claims = main().verified(tokens["access_token"], API1)
        assert (claims["sub"], claims["client_id"], claims["scope"]) == (name, name, "a:read")
        assert not claims.keys() & {"sid", "auth_time", "acr", "amr", "nonce"}, claims
    # Of those of its description, the words of the server.
    tokens = good(Client("batch").own(resource=API2))
    assert tokens["scope"] == "b:read" and main().opens(tokens["access_token"], API2), tokens
    assert main().opens(good(Client("batch").own(scope="a:read"))["access_token"], API1)


def a_program_gets_only_its_allowed_scopes():
    """W1, B16, B20, C9: no scopes about a user, no scopes of other servers, one server."""
    client = Client("batch")
    each([
        ({"scope": "openid a:read", "resource": API1}, "invalid_scope"),
        ({"scope": "offline_access", "resource": API1}, "invalid_scope"),
        ({"scope": "a:write", "resource": API1}, "invalid_scope"),
        ({"scope": "b:read", "resource": API1}, "invalid_scope"),
        ({"scope": "a:read b:read"}, "invalid_target"), ({}, "invalid_target"),
        ({"resource": [API1, API2]}, "invalid_target"),
        ({"resource": main().tools.url}, "invalid_target"),
        ({"resource": main().issuer}, "invalid_target"),
        ({"resource": AUDIENCE}, "invalid_target"),
        ({"resource": API1, "scope": ["a:read", "a:read"]}, "invalid_request"),
    ], lambda fields, error: refused(client.own(**fields), error))
    refused(Client(client.members | {"client_secret": "x"}).own(resource=API1), "invalid_client",
            status=401)
    assert client.post("/oauth/par", {"response_type": "code"}).json()["error"] == (
        "unauthorized_client")


def a_token_of_a_program_has_no_user():
    """W2, B21: userinfo and the server's own routes refuse it; its resource server sees no user."""
    here, client = main(), Client("batch")
    token = good(client.own(scope="a:read", resource=API1))["access_token"]
    for path in ("/oauth/userinfo", "/auth/me", "/auth/sessions", "/auth/users"):
        assert here.call("GET", path, token=token).status_code == 401, path
    found = Client("rs1").introspect(token)
    assert found["active"] and found["sub"] == found["client_id"] == "batch", found
    assert not found.keys() & {"auth_time", "acr"}, found
    assert client.introspect(token)["active"]
    for other in ("rs2", "web"):
        assert Client(other).introspect(token) == {"active": False}
    # There is no grant to end: it lives until its end.
    for one in (client, Client("web")):
        assert one.revoke(token).status_code == 200
    assert client.introspect(token)["active"]


def a_client_id_cannot_be_a_user_id():
    """W2: an administrator's client gets a generated ID, and a configured one cannot be a UUID."""
    made = main().administer(
        "POST", "/auth/clients", client_name="Night", grant_types=[OWN], scope="a:read").json()
    client = Client({"token_endpoint_auth_method": "client_secret_basic"} | made)
    token = good(client.own(resource=API1))["access_token"]
    assert main().verified(token, API1)["sub"] == client.id
    asker = Client("rs1")
    assert asker.introspect(token)["active"]
    where = f"/auth/clients/{client.id}"
    assert main().administer("POST", where + "/disable").ok
    assert not asker.introspect(token)["active"]
    refused(client.own(resource=API1), "invalid_client", status=401)
    assert main().administer("POST", where + "/enable").ok and asker.introspect(token)["active"]
    assert main().administer("DELETE", where).status_code == 204
    assert not asker.introspect(token)["active"]
    answer = main().administer("POST", "/auth/clients", client_name="Open", grant_types=[OWN],
                               token_endpoint_auth_method="none")
    assert answer.status_code == 400, answer.text


def a_client_cannot_give_itself_the_grant():
    """W1, B52, B53: neither a registration nor a document has this grant."""
    made = main().call("POST", "/oauth/register", token=secret("registration"), json={
        "client_name": "Own", "redirect_uris": ["https://own.example.net/cb"],
        "grant_types": ["authorization_code", OWN]})
    assert made.status_code == 201 and made.json()["grant_types"] == ["authorization_code"], (
        made.text)
    refused(Client(made.json()).own(resource=API1), "unauthorized_client")
    made = main().call("POST", "/oauth/register", token=secret("registration"), json={
        "client_name": "Own", "grant_types": [OWN]})
    assert made.status_code == 400, made.text
    client = Client(server.documents().client(
        "/own", grant_types=["authorization_code", OWN], jwks={"keys": [public_key("ES256")]},
        token_endpoint_auth_method="private_key_jwt"))
    # Pushing fetches the document.
    refused(client.post("/oauth/par", {}), "invalid_request")
    refused(client.own(resource=API1), "unauthorized_client")


def a_token_of_a_program_can_be_bound():
    """W2, J1, J4, J7: to the key that the program proves; a resource server may require it."""
    client, key = Client("batch"), DPoPKey.generate("ES256")
    proof = {"DPoP": str(key.proof("POST", main().issuer + "/oauth/token"))}
    tokens = good(client.own(proof, resource=API1))
    claims = main().verified(tokens["access_token"], API1)
    assert tokens["token_type"] == "DPoP" and claims["cnf"]["jkt"] == key.dpop_jkt, claims
    assert client.introspect(tokens["access_token"])["cnf"]["jkt"] == key.dpop_jkt
    refused(client.own(proof, resource=API1), "invalid_dpop_proof")
    there = Client("batch", particular())
    refused(there.own(resource=API2), "invalid_dpop_proof")
    assert good(there.own(resource=API1))["expires_in"] == 60


def a_hook_adds_to_a_token_of_a_program():
    """W2, O3: the hook is told that there is no user."""
    here, client = particular(), Client("batch", particular())
    here.hooks.answers["accessToken"] = {"claims": {"tier": "night"}}
    try:
        token = good(client.own(resource=API1))["access_token"]
        event = here.hooks.events[-1]
        assert here.verified(token, API1)["tier"] == "night"
        here.hooks.answers["accessToken"] = {"claims": {"sid": "x"}}
        assert client.own(resource=API1).status_code == 503
    finally:
        del here.hooks.answers["accessToken"]
    assert event["reason"] == "client" and event["application"]["id"] == "batch", event
    assert event["resource"] == API1 and event["scope"] == ["a:read"], event
    assert not event.keys() & {"user", "acr", "provider"}, event


@of_one_process
def a_program_needs_no_redirect_uri():
    """W1, C9: a public client with this grant stops the start; a client without a redirect URI is
    accepted."""
    program = next(one for one in settings.CLIENTS if one["client_id"] == "batch")
    public = {name: value for name, value in program.items() if name != "client_secret"}
    for wrong in (public | {"token_endpoint_auth_method": "none"},
                  program | {"grant_types": [OWN, "authorization_code"]}):
        status, log = main().start(OAUTH_CLIENTS=f"[{server.json.dumps(wrong)}]")
        assert status == 1 and "OAUTH_CLIENTS: batch" in log, (status, log)
    assert main().start(OAUTH_CLIENTS=f"[{server.json.dumps(program)}]")[0] is None


def the_page_cannot_give_the_grant():
    """W1, B52: a client that an administrator adds on the page cannot have this grant, and has the
    device grant only if it is asked for."""
    here = main()
    path = "/admin/ui/clients"
    shown = here.call("GET", path, headers=here.administrator)
    form = Page(shown, here.origin).form("redirect_uri")
    for asked, given in (({}, set()), ({"devices": "on"}, {DEVICE})):
        name = f"App {secrets.token_hex(4)}"
        answer = here.call(
            "POST", path, headers=here.administrator | {"Sec-Fetch-Site": "same-origin"},
            data=form["fields"] | asked | {
                "client_name": name, "redirect_uri": "https://page.example.net/cb",
                "reason": "a check", "method": "client_secret_basic", "password": here.password})
        assert answer.status_code == 200, answer.text
        listed = here.administer("GET", "/auth/clients").json()["clients"]
        (found,) = (one for one in listed if one["client_name"] == name)
        assert set(found["grant_types"]) == {"authorization_code", "refresh_token"} | given, found
