"""pyoidc."""

import time

from client import Client, signed_in
from oic import rndstr
from oic.oic import Client as OicClient
from oic.oic.message import AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD
from server import main


def a_code_and_userinfo_work_by_post():
    """pyoidc: discovery, code, ID token, refresh, and userinfo with the token in the body."""
    for name in ("web", "post"):
        own = Client(name)
        client = OicClient(client_authn_method=CLIENT_AUTHN_METHOD)
        client.provider_config(main().issuer)
        client.store_registration_info(RegistrationResponse(**own.members))
        client.redirect_uris = [own.redirect_uri]
        arguments, verifier = client.add_code_challenge()
        arguments |= {
            "client_id": own.id, "response_type": "code", "scope": ["openid", "email"],
            "nonce": rndstr(), "state": rndstr(), "redirect_uri": own.redirect_uri}
        request = client.construct_AuthorizationRequest(request_args=arguments)
        browser = signed_in()
        left = browser.walk(browser.open(request.request(client.authorization_endpoint))).left
        answer = client.parse_response(
            AuthorizationResponse, info=left.split("?")[1], sformat="urlencoded")
        assert answer["state"] == arguments["state"], answer
        tokens = client.do_access_token_request(
            state=answer["state"], authn_method=own.method, request_args={
                "code": answer["code"], "redirect_uri": own.redirect_uri,
                "code_verifier": verifier})
        claims = tokens["id_token"]
        assert claims["nonce"] == arguments["nonce"] and claims["exp"] > time.time(), claims
        info = client.do_user_info_request(method="POST", state=answer["state"])
        assert info["sub"] == claims["sub"] and info["email"] == main().user.email, info
        newer = client.do_access_token_refresh(
            state=answer["state"], authn_method=own.method)
        assert newer["access_token"] != tokens["access_token"], newer
