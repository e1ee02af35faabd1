"""Introspection and revocation."""

from client import Client, basic, each, refused
from server import main
from settings import API1

MEMBERS = {"active", "scope", "client_id", "sub", "aud", "iss", "exp", "iat", "jti", "token_type"}


def introspection_answers_only_the_audience():
    """B18, I2, I3, I4, I5: only the audience's resource server, and the client, see the token."""
    client = Client("post")
    tokens = client.grant(scope="openid a:read", resource=API1)
    for who in (Client("rs1"), client):
        for hint in ({}, {"token_type_hint": "refresh_token"}, {"token_type_hint": "nonsense"}):
            found = who.introspect(tokens["access_token"], **hint)
            assert found["active"] and MEMBERS <= found.keys(), found
            assert found["aud"] == API1 and found["iss"] == main().issuer, found
            assert found["client_id"] == "post" and found["sub"] == main().user.id, found
            assert "a:read" in found["scope"].split(), found
            assert found["token_type"] == "Bearer" and not found.keys() & {"email", "name"}, found
            assert found["auth_time"] <= found["iat"] < found["exp"] and found["acr"], found
    for who in (Client("rs2"), Client("web"), Client("own")):
        assert who.introspect(tokens["access_token"]) == {"active": False}
    for wrong in ("x", tokens["id_token"], main().user.tokens["accessToken"], "é", "a.b.c"):
        assert Client("rs1").introspect(wrong) == {"active": False}


def introspection_needs_authentication():
    """I1, C5: missing, wrong or public authentication is 401; a missing token is 400."""
    token = Client("post").grant()["access_token"]

    def check(headers, fields):
        refused(main().call("POST", "/oauth/introspect", headers=headers,
                            data={"token": token} | fields), "invalid_client", status=401)
    each([({}, {}), (basic("rs1", "x"), {}), ({}, {"client_id": "rs1"}), ({}, {"client_id": "cli"}),
          (basic("nobody", "x"), {}), ({"Authorization": f"Bearer {token}"}, {})], check)
    refused(Client("rs1").post("/oauth/introspect", {}), "invalid_request")


def revocation_ends_the_grant():
    """V1, V2, V4, V5: either token ends both, at once; for any other text the answer is 200."""
    for name, member in (("post", "refresh_token"), ("post", "access_token"),
                         ("cli", "refresh_token"), ("keyed", "access_token")):
        client, asker = Client(name), Client("post") if name == "post" else None
        tokens, other = client.grant(scope="openid email"), client.grant()
        answer = client.revoke(tokens[member], token_type_hint="nonsense")
        assert answer.status_code == 200 and not answer.content.strip(b"{}"), answer.text
        assert "no-store" in answer.headers["Cache-Control"], answer.headers
        assert client.revoke(tokens[member]).status_code == 200
        assert client.userinfo(tokens["access_token"]).status_code == 401, (name, member)
        assert not asker or asker.introspect(tokens["access_token"]) == {"active": False}
        assert not client.is_alive(tokens) and client.is_alive(other), (name, member)
    for wrong in ("x", "lko_x", "é", "a.b.c", main().user.tokens["accessToken"]):
        assert Client("post").revoke(wrong).status_code == 200, wrong
    assert main().call("GET", "/auth/me", token=main().user.tokens["accessToken"]).ok
    refused(Client("post").post("/oauth/revoke", {}), "invalid_request")


def only_its_own_client_can_revoke_a_token():
    """B19, V3: another client, or a request without authentication, has no effect."""
    owner, here = Client("post"), main()
    tokens = owner.grant(scope="openid email")
    for name in ("web", "own", "keyed", "cli", "rs1"):
        for member in ("refresh_token", "access_token"):
            assert Client(name).revoke(tokens[member]).status_code in (200, 400), name
    answer = here.call("POST", "/oauth/revoke", data={"token": tokens["refresh_token"]})
    refused(answer, "invalid_client", "invalid_request", status=answer.status_code)
    refused(here.call("POST", "/oauth/revoke", data={
        "token": tokens["refresh_token"], "client_id": "post"}), "invalid_client", status=401)
    assert owner.userinfo(tokens["access_token"]).ok and owner.is_alive(tokens)
