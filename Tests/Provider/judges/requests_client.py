"""requests-oauth2client."""

import requests
from client import Client, signed_in
from requests_oauth2client import (
    AccessDenied, ClientSecretBasic, ClientSecretPost, DeviceAuthorizationPollingJob, DPoPKey,
    DPoPToken, OAuth2Client, PrivateKeyJwt, PublicApp, SlowDown)
from server import main
from settings import API1, API2, KEYS


def a_code_works_with_each_method():
    """requests-oauth2client: code, `iss`, ID token, userinfo, refresh, introspection, DPoP."""
    from jwskate import Jwk
    key = Jwk(KEYS["ES256"]) | {"kid": "ES256", "alg": "ES256"}
    for name, auth in (
            ("web", lambda own: ClientSecretBasic(own.id, own.secret)),
            ("post", lambda own: ClientSecretPost(own.id, own.secret)),
            ("keyed", lambda own: PrivateKeyJwt(own.id, key, aud=main().issuer)),
            ("cli", lambda own: PublicApp(own.id))):
        own = Client(name)
        client = OAuth2Client.from_discovery_endpoint(
            issuer=main().issuer, auth=auth(own), redirect_uri=own.redirect_uri, testing=True,
            id_token_signed_response_alg=own.members.get("id_token_signed_response_alg", "RS256"))
        request = client.authorization_request(scope="openid email")
        browser = signed_in()
        answer = request.validate_callback(browser.walk(browser.open(request.uri)).left)
        token = client.authorization_code(answer, validate=True)
        assert token.id_token.sub == main().user.id, token.id_token
        assert client.userinfo(token)["email"] == main().user.email
        newer = client.refresh_token(token)
        if name != "cli":
            assert client.introspect_token(newer.access_token)["active"]
        assert client.revoke_refresh_token(newer)
        assert not own.userinfo(newer.access_token).ok


def a_code_works_for_a_resource_with_a_proof():
    """requests-oauth2client: `resource` and DPoP, whose key the token names, by a wrong clock."""
    own, wrong = Client("post"), DPoPKey.generate(iat_generator=lambda: 86400)
    client = OAuth2Client.from_discovery_endpoint(
        issuer=main().issuer, auth=ClientSecretPost(own.id, own.secret),
        redirect_uri=own.redirect_uri, testing=True)
    for scope, resource in (("a:read", {"resource": API1}), ("openid email", {})):
        request = client.authorization_request(
            scope=scope, dpop=True, dpop_key=wrong, **resource)
        browser = signed_in()
        answer = request.validate_callback(browser.walk(browser.open(request.uri)).left)
        # The library loses the key of a token whose ID token it validates.
        token = client.authorization_code(answer, validate=False, **resource)
        assert isinstance(token, DPoPToken), token
        claims = main().verified(
            token.access_token, resource.get("resource", main().issuer))
        assert claims["cnf"]["jkt"] == wrong.dpop_jkt, claims
        assert requests.get(main().issuer + "/oauth/userinfo", timeout=60, headers={
            "Authorization": f"Bearer {token.access_token}"}).status_code == 401
    assert client.userinfo(client.refresh_token(token))["email"] == main().user.email


def a_device_waits_for_a_person():
    """requests-oauth2client: device grant, with a question that is too early, and a refusal."""
    browser = signed_in()
    for name, auth in (("tv", lambda own: PublicApp(own.id)),
                       ("desk", lambda own: ClientSecretBasic(own.id, own.secret))):
        own = Client(name)
        client = OAuth2Client(
            main().metadata["token_endpoint"], auth=auth(own), testing=True,
            device_authorization_endpoint=main().metadata["device_authorization_endpoint"],
            userinfo_endpoint=main().metadata["userinfo_endpoint"])
        device = client.authorize_device(scope="openid email")
        job = DeviceAuthorizationPollingJob(client, device)
        assert job.interval == 5 and job() is None
        try:
            client.device_code(device.device_code)
            raise AssertionError("a question at once is not too early")
        except SlowDown:
            job.slow_down()
        browser.connect(device.user_code)
        token = job()
        assert client.userinfo(token)["email"] == main().user.email
        assert client.refresh_token(token).access_token
        device = client.authorize_device(scope="openid")
        browser.connect(device.user_code, "deny")
        try:
            client.device_code(device.device_code)
            raise AssertionError("a refusal is not told")
        except AccessDenied:
            pass


def a_program_asks_for_itself():
    """requests-oauth2client: client credentials, with a secret and with a key, with a proof."""
    from jwskate import Jwk
    key = Jwk(KEYS["ES256"]) | {"kid": "ES256", "alg": "ES256"}
    for auth in (ClientSecretBasic("batch", Client("batch").secret),
                 PrivateKeyJwt("keyed", key, aud=main().issuer)):
        client = OAuth2Client(main().metadata["token_endpoint"], auth=auth, testing=True)
        token = client.client_credentials(scope="a:read", resource=API1)
        assert main().verified(token.access_token, API1)["sub"] == client.client_id
        assert not token.refresh_token and token.expires_in > 0, token
        bound = client.client_credentials(scope="a:read", resource=API1, dpop=True)
        assert isinstance(bound, DPoPToken), bound


def a_server_exchanges_a_token():
    """requests-oauth2client: token exchange, by `audience`, with a proof."""
    own, shelf = Client("post"), Client("shelf")
    request, code = own.code(scope="a:read b:read", resource=[API1, API2])
    subject = own.redeem(request, code, resource=API1).json()["access_token"]
    client = OAuth2Client(main().metadata["token_endpoint"], testing=True,
                          auth=ClientSecretBasic(shelf.id, shelf.secret))
    token = client.token_exchange(
        subject_token=subject, subject_token_type="access_token", audience=API2, scope="b:read")
    assert main().verified(token.access_token, API2)["act"] == {"sub": shelf.id}, token
    assert token.issued_token_type.endswith(":access_token"), token
    bound = client.token_exchange(subject_token=subject, subject_token_type="access_token",
                                  resource=API2, dpop=True)
    assert isinstance(bound, DPoPToken), bound
