"""Separation of tokens: a third party's token is not accepted by first-party routes."""

import json
import pathlib

import server
import settings
from client import Client, each, refused
from server import main, of_one_process
from settings import API1, API2, AUDIENCE

DOCUMENT = (pathlib.Path(__file__).resolve().parents[3]
            / "Functions/Templates/latchkey.openapi.json")


def each_token_is_accepted_only_where_it_belongs():
    """B17, B18, B21, I3, I6, S5, S6: each endpoint accepts only tokens for itself."""
    here, web, post = main(), Client("web"), Client("post")
    shelf = web.grant(scope="openid a:read", resource=API1)
    diary = post.grant(scope="b:read", resource=API2)
    plain, own = post.grant(scope="openid email"), Client("own").grant()
    tokens = {
        "first-party": here.user.tokens["accessToken"],
        "first-party refresh": here.user.tokens["refreshToken"],
        "shelf": shelf["access_token"], "shelf refresh": shelf["refresh_token"],
        "diary": diary["access_token"], "plain": plain["access_token"],
        "own": own["access_token"], "own refresh": own["refresh_token"],
        "ID": plain["id_token"], "shelf ID": shelf["id_token"], "garbage": "a.b.c"}
    endpoints = {
        "me": lambda token: here.call("GET", "/auth/me", token=token).ok,
        "userinfo": lambda token: web.userinfo(token).ok,
        "api1": lambda token: here.opens(token, API1),
        "api2": lambda token: here.opens(token, API2),
        **{name: lambda token, client=Client(name): client.introspect(token)["active"]
           for name in ("rs1", "rs2", "web", "post")}}
    accepted = {
        (name, endpoint) for name, token in tokens.items()
        for endpoint, accepts in endpoints.items() if accepts(token)} - {("shelf refresh", "web")}
    assert accepted == {
        ("first-party", "me"), ("own", "userinfo"), ("shelf", "api1"), ("shelf", "rs1"),
        ("shelf", "web"), ("diary", "api2"), ("diary", "rs2"), ("diary", "post"),
        ("plain", "userinfo"), ("plain", "post")}, accepted
    assert shelf["refresh_token"].startswith("lko_"), shelf


def first_party_routes_refuse_third_party_tokens():
    """B21: every operation answers a third party's token as it answers an invalid one."""
    here, client = main(), Client("post")
    tokens = client.grant(scope="openid email profile offline_access")
    operations = [
        (method, path.replace("{id}", here.user.id).replace("{method}", "password"))
        for path, methods in json.loads(DOCUMENT.read_text())["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict) and {"accessToken": []} in operation.get("security", [])]
    assert len(operations) > 40

    def check(method, path):
        answers = [here.call(method, path, token=token, json={}) for token in (
            "a.b.c", tokens["access_token"], tokens["id_token"], tokens["refresh_token"])]
        # Errors have an id of the request.
        seen = {(answer.status_code, answer.json().get("error", {}).get("code")
                 if isinstance(answer.json().get("error"), dict) else answer.text)
                for answer in answers if answer.status_code != 204}
        assert len(seen) == 1 and not answers[1].ok, seen
    each([one for one in operations if one[1] != "/auth/signout"], check)


def refresh_tokens_work_at_their_own_route_only():
    """B21: neither refresh route takes the other's token, and neither ends it."""
    here, client = main(), Client("post")
    tokens, own = client.grant(), here.account().tokens
    for answer in (
            here.call("POST", "/auth/refresh", json={"refreshToken": tokens["refresh_token"]}),
            here.call("POST", "/auth/refresh", json={
                "refreshToken": tokens["refresh_token"].replace("lko_", "lkr_")})):
        assert answer.status_code in (400, 401, 403), answer.text
    for text in (own["refreshToken"], own["refreshToken"].replace("lkr_", "lko_")):
        refused(client.refresh(text), "invalid_grant")
        assert client.revoke(text).status_code == 200
    assert client.is_alive(tokens)
    answer = here.call("POST", "/auth/refresh", json={"refreshToken": own["refreshToken"]})
    assert answer.status_code == 200, answer.text


def one_audience_for_each_access_token():
    """B16, B17, O1: each of two granted resources has its own token; others get none."""
    client, two = Client("post"), [API1, API2]
    request, code = client.code(scope="a:read b:read", resource=two)
    for wrong in (None, main().tools.url, AUDIENCE, "https://unknown.example/"):
        refused(client.redeem(request, code, resource=wrong), "invalid_target")
    tokens = client.redeem(request, code, resource=API1).json()
    claims = main().verified(tokens["access_token"], API1)
    assert claims["client_id"] == client.id and claims["jti"], claims
    assert claims["sub"] == main().user.id and "b:read" not in claims["scope"].split(), claims
    assert tokens["scope"] == "a:read" and tokens["token_type"] == "Bearer", tokens
    tokens = client.refresh(tokens["refresh_token"], resource=API2).json()
    claims = main().verified(tokens["access_token"], API2)
    assert "a:read" not in claims["scope"].split(), claims
    for wrong in (two, main().tools.url, AUDIENCE):
        refused(client.refresh(tokens["refresh_token"], resource=wrong), "invalid_target")


def a_default_resource_is_the_audience():
    """O1: without `resource` the audience is the default, else the issuer."""
    for where, scope, audience in ((server.bare(), "a:read", API1), (server.bare(), None, API1),
                                   (main(), "openid email", main().issuer)):
        tokens = Client("post", where).grant(scope=scope)
        assert where.opens(tokens["access_token"], audience), tokens


@of_one_process
def a_start_with_bad_clients_or_resources_fails():
    """B7, B21, C2, U5: a start with such clients or resources ends with status 1."""
    app = next(one for one in settings.CLIENTS if one["client_id"] == "native")
    resource = settings.resources("http://127.0.0.1:9/mcp")[0]
    client = {"redirect_uris": ["javascript:alert(1)"]}
    rows = [
        ("OAUTH_CLIENTS", [app | {"client_id": AUDIENCE}]), ("OAUTH_CLIENTS", [app | client]),
        *(("OAUTH_CLIENTS", [app | {"client_id": name}]) for name in (
            "3f2b8c1e-1111-4222-8333-444455556666", "https://a.example/client", "a b", "")),
        ("OAUTH_CLIENTS", [app | {"redirect_uri": "https://a.example/cb"}]),
        ("OAUTH_CLIENTS", [app, app]),
        ("OAUTH_CLIENTS", [app | {"redirect_uris": ["http://a.example/"]}]),
        ("OAUTH_RESOURCES", [resource | {"resource": AUDIENCE}]),
        ("OAUTH_RESOURCES", [resource | {"resource": "https://api.example/#a"}]),
    ]

    def check(name, value):
        status, log = main().start(**{name: json.dumps(value)})
        assert status == 1 and name in log, (status, log)
    each(rows, check)
    assert main().start()[0] is None
