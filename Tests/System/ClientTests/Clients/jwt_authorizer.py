"""A route behind API Gateway's own JWT authorizer, with tokens of ALGORITHM."""

import os

import jwt
from judge import case, run
from people import http

ALGORITHM = os.environ["ALGORITHM"]


@case
def a_token_passes_if_the_gateway_knows_its_algorithm():
    _, minted = http("POST", "/_idp/apple/mint", {"email": "ada@example.com"})
    status, session = http(
        "POST", "/auth/signin", {"provider": "apple", "idToken": minted["idToken"]})
    assert status == 200, session
    token = session["accessToken"]
    assert jwt.get_unverified_header(token)["alg"] == ALGORITHM
    status, answer = http("GET", "/auth/me", token=token)
    assert status == (200 if ALGORITHM == "RS256" else 401), (status, answer)
    # The gateway's refusal, not the function's.
    assert ("id" if status == 200 else "message") in answer, answer


@case
def without_a_token_the_gateway_refuses():
    assert http("GET", "/auth/me")[0] == 401


run()
