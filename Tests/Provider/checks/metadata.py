"""Metadata, keys and CORS."""

import server
from client import Client, each
from server import main, of_one_process
from settings import API1

NAMES = ("oauth-authorization-server", "openid-configuration")
REQUIRED = {
    "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True, "request_parameter_supported": False,
    "request_uri_parameter_supported": False}


def metadata_is_served_at_every_address():
    """B45, M1, M2, E10: with the suffix inserted or appended; one spelling of the issuer, no
    slash."""
    for here in (main(), server.bare()):
        path = here.issuer.removeprefix(here.origin)
        urls = [f"{here.origin}/.well-known/{name}{path}" for name in NAMES]
        urls += [f"{here.issuer}/.well-known/{name}" for name in NAMES]
        found = [here.call("GET", url) for url in urls]
        assert all(answer.status_code == 200 for answer in found), [
            (answer.url, answer.status_code) for answer in found]
        for answer in found:
            assert answer.headers["Access-Control-Allow-Origin"] == "*", answer.headers
            assert answer.headers["Content-Type"].startswith("application/json"), answer.headers
            assert "max-age" in answer.headers["Cache-Control"], answer.headers
            assert answer.json()["issuer"] == here.issuer, answer.text
            assert here.issuer + "/\"" not in answer.text, answer.text


def metadata_lists_only_supported_features():
    """B55, M3, M4, G9: required members; each endpoint and grant that is named works."""
    for name in NAMES:
        found = main().call("GET", f"/.well-known/{name}").json()
        assert found.items() >= REQUIRED.items(), found
        assert "RS256" in found["id_token_signing_alg_values_supported"], found
        assert {"openid", "offline_access"} <= set(found["scopes_supported"]), found
        assert found["response_modes_supported"][0] == "query", found
        assert set(found["token_endpoint_auth_methods_supported"]) == {
            "client_secret_basic", "client_secret_post", "none", "private_key_jwt"}, found
        assert {"ES256", "RS256"} <= set(
            found["token_endpoint_auth_signing_alg_values_supported"]), found
        assert "none" not in found["token_endpoint_auth_signing_alg_values_supported"], found
        assert [] not in found.values() and None not in found.values(), found
        for member, url in found.items():
            if member.endswith("_endpoint") or member == "jwks_uri":
                assert url.startswith(main().issuer + "/") and "#" not in url, url
                method = "GET" if member in ("jwks_uri", "authorization_endpoint") else "POST"
                assert main().call(method, url).status_code not in (404, 405, 500, 501), url
        for kind in found["grant_types_supported"]:
            body = Client("web").token(grant_type=kind).json()
            assert body["error"] != "unsupported_grant_type", kind
    assert API1 in found["protected_resources"] and found["subject_types_supported"] == ["public"]
    assert {"none", "login", "consent", "select_account", "create"} == set(
        found["prompt_values_supported"])
    assert {"sub", "auth_time", "acr", "nonce", "email"} <= set(found["claims_supported"]), found
    assert found["dpop_signing_alg_values_supported"] and found["acr_values_supported"], found
    # The metadata do not mention missing features.
    assert not found.keys() & {"frontchannel_logout_supported", "check_session_iframe"}, found


def the_key_set_has_public_keys_only():
    """E11, M3: RS256 and ES256, with id and use, none private, readable by web apps."""
    answer = main().call("GET", main().metadata["jwks_uri"])
    keys = answer.json()["keys"]
    assert {"RS256", "ES256"} <= {key["alg"] for key in keys}, keys
    assert len({key["kid"] for key in keys}) == len(keys), keys
    for key in keys:
        assert not key.keys() & {"d", "p", "q", "dp", "dq", "qi", "k"}, key.keys()
        assert key["kty"] != "RSA" or len(key["n"]) >= 342, key
    assert answer.headers["Access-Control-Allow-Origin"] == "*", answer.headers


@of_one_process
def cors_admits_the_origins_of_redirect_uris():
    """G5: the endpoints of web apps admit the origins of registered https redirect URIs."""
    def check(path, origin, admitted):
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "authorization,content-type"}
        for answer in (main().call("OPTIONS", path, headers=asked),
                       main().call("POST", path, headers={"Origin": origin}, data={"x": "y"})):
            found = answer.headers.get("Access-Control-Allow-Origin")
            assert (found in (origin, "*")) == admitted, (answer.status_code, answer.headers)
            assert "Access-Control-Allow-Credentials" not in answer.headers, answer.headers
    each([(path, origin, admitted) for path in (
              "/oauth/token", "/oauth/userinfo", "/oauth/revoke", "/oauth/register")
          for origin, admitted in (
              ("https://web.example.com", True), ("https://web.example.com.evil.example", False),
              ("https://evil.example", False), ("null", False))], check)


def without_the_setting_the_routes_do_not_exist():
    """M4: `OAUTH` off leaves routes and metadata as they were."""
    here = server.off()
    for path in ("authorize", "par", "token", "revoke", "introspect", "userinfo", "register",
                 "device_authorization", "device", "logout"):
        # A form that is not of this site is refused wherever it goes.
        for method in ("GET",) if path == "device" else ("GET", "POST"):
            answer = here.call(method, f"/oauth/{path}")
            assert answer.status_code == 404, (path, answer.text)
    answer = here.call("GET", "/.well-known/oauth-authorization-server")
    assert answer.status_code == 404, answer.text
    found = here.metadata
    assert found["response_types_supported"] == ["id_token"], found
    assert not [name for name in found if name.endswith("_endpoint")], found
    keys = here.call("GET", found["jwks_uri"]).json()["keys"]
    assert {key["alg"] for key in keys} == {"ES256"}, keys


@of_one_process
def settings_without_the_provider_are_reported():
    """B51, M4: at a server's start, once; not if the provider is on."""
    settings = {"OAUTH_CLIENTS": "[]", "OAUTH_REGISTRATION": "open"}
    problem = '"problem":"OAUTH_CLIENTS, OAUTH_REGISTRATION have no effect without OAUTH=on"'
    for more, count in (({}, 1), ({"OAUTH": "on"}, 0)):
        _, log = server.off().start(**settings, **more)
        assert log.count(problem) == log.count("settings_unused") == count, log


def a_public_issuer_must_have_https():
    """G1, M2: `http` is for this machine only; two spellings of an issuer are two issuers."""
    for issuer in ("http://auth.example.com", "http://auth.example.com/id"):
        status, log = main().start(ISSUER=issuer, BASE_PATH="")
        assert status == 1 and "ISSUER" in log, (issuer, status, log)


@of_one_process
def a_web_app_may_register():
    """G5: with open registration a web app (MCP Inspector) registers itself, and gets tokens."""
    here, origin = server.open_registration(), "http://localhost:6274"
    for path in ("/oauth/register", "/oauth/token"):
        answer = here.call("OPTIONS", path, headers={
            "Origin": origin, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type"})
        assert answer.headers.get("Access-Control-Allow-Origin") in ("*", origin), path
