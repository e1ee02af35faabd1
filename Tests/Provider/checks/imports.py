"""Clients of other providers, by `latchkey import clients`."""

import json
import subprocess

import server
from browser import Browser
from client import Client, each, refused
from server import bare, main, of_one_process, off
from settings import API1, secret


def _import(clients, *flags, where=None):
    """The exit status, the line for each client, and the summary."""
    here = where or main()
    settings = {"STORE": f"sqlite:{here.home}/latchkey.db", "UI": "on",
                "PATH": "/usr/bin:/bin"} | here.settings
    ran = subprocess.run(
        [server.EXECUTABLE, "import", "clients", "-", *flags], input=json.dumps(clients),
        capture_output=True, text=True, cwd=here.home, env=settings)
    lines = dict(line.split(": ", 1) for line in ran.stdout.splitlines())
    return ran.returncode, lines, ran.stderr


def _keycloak(name, **changes):
    """A client in the form of a realm export."""
    return {
        "id": "5c1f6b0e-0b8e-4c2e-8f5e-3a1f0c9d7e21", "clientId": name, "name": name.title(),
        "rootUrl": f"https://{name}.example.com", "surrogateAuthRequired": False, "enabled": True,
        "clientAuthenticatorType": "client-secret", "secret": secret(name),
        "redirectUris": [f"https://{name}.example.com/cb"], "webOrigins": ["+"],
        "bearerOnly": False, "consentRequired": False, "standardFlowEnabled": True,
        "implicitFlowEnabled": False, "directAccessGrantsEnabled": False,
        "serviceAccountsEnabled": False, "publicClient": False, "frontchannelLogout": True,
        "protocol": "openid-connect", "attributes": {"post.logout.redirect.uris": "+"},
        "fullScopeAllowed": True, "defaultClientScopes": ["profile", "email"]} | changes


def _member(client_id, method="client_secret_basic", **members):
    return Client({"client_id": client_id, "token_endpoint_auth_method": method} | members)


def _listed(client_id):
    found = main().administer("GET", "/auth/clients?limit=100").json()["clients"]
    return next((one for one in found if one["client_id"] == client_id), None)


@of_one_process
def clients_of_keycloak_keep_id_and_secret():
    """A realm export: clients that cannot be imported are reported; a second run changes
    nothing."""
    shop = _keycloak(
        "kc-shop", implicitFlowEnabled=True, directAccessGrantsEnabled=True,
        redirectUris=["/cb", "https://kc-shop.example.com/app/*"], attributes={
            "post.logout.redirect.uris": "https://kc-shop.example.com/bye##http://other/",
            "backchannel.logout.url": "https://kc-shop.example.com/out",
            "frontchannel.logout.url": "https://kc-shop.example.com/front"})
    realm = {"realm": "acme", "enabled": True, "clients": [
        shop, _keycloak("account"), _keycloak("kc-spa", publicClient=True),
        _keycloak("kc-masked", secret="**********"), _keycloak("kc-off", enabled=False)]}
    expected = {
        "kc-shop": "imported, without the implicit grant, the password grant, the redirect URI "
        "https://kc-shop.example.com/app/* (wildcard), the redirect URI after sign-out "
        "http://other/, front-channel logout",
        "account": "skipped: Keycloak's own",
        "kc-spa": "imported, without the secret, which a public client does not need",
        "kc-masked": "imported; its secret is not in the file: give it a secret with "
        "latchkey admin clients secret kc-masked",
        "kc-off": "imported, disabled as it was"}
    status, lines, _ = _import(realm, "--dry-run")
    assert status == 0 and lines["kc-spa"].startswith("would be imported"), lines
    assert not _listed("kc-shop")
    status, lines, said = _import(realm)
    assert status == 0 and "4 imported, 0 unchanged, 0 not imported" in said, (lines, said)
    assert lines == expected, lines
    assert secret("kc-shop") not in str(lines) + said + "".join(main().log)
    listed = _listed("kc-shop")
    assert listed["source"] == "administrator" and listed["first_party"], listed
    assert listed["redirect_uris"] == ["https://kc-shop.example.com/cb"], listed
    assert listed["post_logout_redirect_uris"] == ["https://kc-shop.example.com/bye"], listed
    assert _listed("kc-off")["disabledAt"] and not _listed("account")
    audit = main().administer("GET", "/auth/admin/audit?chain=ADMINISTRATION").text
    assert "kc-masked" in audit and "imported from Keycloak" in audit, audit[:900]

    status, lines, said = _import(realm)
    assert status == 0 and "0 imported, 4 unchanged" in said, (lines, said)
    changed = realm | {"clients": [shop | {"secret": secret("another")}, *realm["clients"][1:]]}
    status, lines, _ = _import(changed)
    assert status == 1 and "exists already" in lines["kc-shop"], lines

    browser = Browser(main(), main().account()).sign_in()
    client = _member("kc-shop", client_secret=secret("kc-shop"),
                     redirect_uris=["https://kc-shop.example.com/cb"])
    tokens = client.grant(browser, scope="openid email offline_access")
    claims = main().verified(tokens["id_token"], "kc-shop", kind="JWT")
    assert claims["aud"] == "kc-shop" and client.userinfo(tokens["access_token"]).ok, claims
    assert client.is_alive(tokens) and not browser.consents
    client.secret = secret("wrong")
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)
    client.secret = secret("kc-shop")
    public = _member("kc-spa", "none", redirect_uris=["https://kc-spa.example.com/cb"])
    assert public.grant(browser)["access_token"]

    # Deleted and imported again, it has nothing of what it had.
    assert main().administer("DELETE", "/auth/clients/kc-shop").status_code == 204
    status, lines, said = _import(realm)
    assert status == 0 and "1 imported, 3 unchanged" in said, (lines, said)
    refused(client.refresh(tokens["refresh_token"]), "invalid_grant")
    assert client.userinfo(tokens["access_token"]).status_code == 401


@of_one_process
def ids_that_no_client_can_have_are_not_imported():
    """A file cannot use the ID of a configured client, a user or an audience."""
    def check(client_id, words, **changes):
        status, lines, said = _import([_keycloak(client_id, **{
            "redirectUris": ["https://a.example.com/cb"]} | changes)])
        line = next(iter(lines.values()))
        assert status == 1 and line.startswith("not imported") and words in line, (lines, said)

    each([
        ("web", "OAUTH_CLIENTS has this ID"), ("latchkey", "client_id"),
        ("sts.amazonaws.com", "client_id"), ("https://app.example.com/client.json", "client_id"),
        ("0B9A6F30-52C4-4E0A-9C0B-8C1C6D4A9A10", "client_id"), ("a b", "client_id"),
    ], check)
    check("kc-api", "OAUTH_RESOURCES", bearerOnly=True)
    check("kc-saml", "saml", protocol="saml")
    check("kc-wild", "redirect URIs", redirectUris=["*"])
    check("kc-jwt", "keys", clientAuthenticatorType="client-jwt")
    check("kc-password", "grants", standardFlowEnabled=False, directAccessGrantsEnabled=True)
    status, lines, said = _import({"users": []})
    assert status == 1 and not lines and "no clients of Keycloak" in said, said
    status, _, said = _import([_keycloak("kc-late")], where=off())
    assert status == 1 and "OAUTH is not on" in said, said


@of_one_process
def clients_of_cognito_keep_id_and_secret():
    """Answers of describe-user-pool-client, one or several; only scopes that the server knows."""
    def client(client_id, **changes):
        return {"UserPoolClient": {
            "UserPoolId": "eu-west-1_AbCdEfGhI", "ClientName": "Web shop", "ClientId": client_id,
            "ClientSecret": secret(client_id), "LastModifiedDate": "2026-01-02T03:04:05+00:00",
            "CreationDate": 1700000000, "RefreshTokenValidity": 30,
            "ExplicitAuthFlows": ["ALLOW_REFRESH_TOKEN_AUTH", "ALLOW_USER_SRP_AUTH"],
            "SupportedIdentityProviders": ["COGNITO"],
            "CallbackURLs": ["https://pool.example.com/cb"],
            "LogoutURLs": ["https://pool.example.com/bye"],
            "AllowedOAuthFlows": ["code", "implicit"],
            "AllowedOAuthScopes": ["openid", "email", "phone", "aws.cognito.signin.user.admin",
                                   "a:read"],
            "AllowedOAuthFlowsUserPoolClient": True} | changes}

    first, second = "1h57kf5cpq17m0eml12example", "2k68lg6dqr28n1fnm23example"
    flags = ("--secret-by", "client_secret_post", "--resource", API1)
    status, lines, said = _import(client(first), *flags)
    assert status == 0 and lines[first] == (
        "imported, without the implicit grant, sign-in by the API of Cognito, the scope phone, "
        "the scope aws.cognito.signin.user.admin"), (lines, said)
    tokens = _member(first, "client_secret_post", client_secret=secret(first),
                     redirect_uris=["https://pool.example.com/cb"]).grant(
                         scope="openid email a:read", resource=API1)
    assert main().verified(tokens["access_token"], API1)["scope"] == "a:read", tokens
    program = client(second, AllowedOAuthFlows=["client_credentials"],
                     AllowedOAuthScopes=["a:read"])
    status, lines, said = _import([client(first), program], *flags)
    assert status == 0 and lines[first] == "unchanged", (lines, said)
    answer = _member(second, "client_secret_post", client_secret=secret(second)).own(resource=API1)
    assert answer.status_code == 200, answer.text
    # No server is meant unless it is named.
    third = {"UserPoolClient": program["UserPoolClient"] | {"ClientId": "3l79mh7ers39o2gon"}}
    assert _import(third)[0] == 0
    refused(_member("3l79mh7ers39o2gon", client_secret=secret(second)).own(resource=API1),
            "invalid_target")


@of_one_process
def clients_of_auth0_keep_id_and_secret():
    """Clients of the Management API, one of them without an ID."""
    def client(client_id, **changes):
        return {
            "tenant": "acme", "global": False, "is_token_endpoint_ip_header_trusted": False,
            "name": "Library", "client_id": client_id, "client_secret": secret(client_id),
            "is_first_party": False, "oidc_conformant": True, "sso_disabled": False,
            "callbacks": ["https://library.example.com/cb", "https://*.library.example.com/cb"],
            "allowed_logout_urls": ["https://library.example.com"],
            "grant_types": ["authorization_code", "implicit", "refresh_token",
                            "http://auth0.com/oauth/grant-type/password-realm"],
            "jwt_configuration": {"alg": "HS256", "lifetime_in_seconds": 36000},
            "oidc_logout": {"backchannel_logout_urls": ["https://library.example.com/out"]},
            "token_endpoint_auth_method": "client_secret_post", "app_type": "regular_web"} | changes

    first, spa = "FZ2DDp3AS9kLeHgv0n5H2LUxQd7jsRZa", "a7Pd0VQeM3nTg5KcWrXyB1oZi4sUhL8J"
    where, without = bare(), client("", name="Nameless")
    del without["client_id"]
    public = client(spa, token_endpoint_auth_method="none", app_type="spa", is_first_party=True)
    status, lines, said = _import([client(first), public, client("all", **{"global": True})],
                                  where=where)
    assert status == 0 and "2 imported" in said, (lines, said)
    assert lines["all"].startswith("skipped"), lines
    assert lines[first] == (
        "imported, without the grant implicit, the grant "
        "http://auth0.com/oauth/grant-type/password-realm, the redirect URI "
        "https://*.library.example.com/cb (wildcard), ID tokens signed by HS256"), lines
    client_here = Client({
        "client_id": first, "client_secret": secret(first), "token_endpoint_auth_method":
        "client_secret_post", "redirect_uris": ["https://library.example.com/cb"]}, where)
    browser = Browser(where, where.account()).sign_in()
    assert client_here.grant(browser)["access_token"] and browser.consents == 1
    assert Client({"client_id": spa, "token_endpoint_auth_method": "none", "redirect_uris": [
        "https://library.example.com/cb"]}, where).grant(browser)["access_token"]
    status, lines, said = _import({"clients": [client(first), without]}, where=where)
    assert status == 1 and lines[first] == "unchanged", (lines, said)
    assert "Nameless has no client_id" in lines["?"], lines
