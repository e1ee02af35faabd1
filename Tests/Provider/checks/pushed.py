"""Requests that clients push (RFC 9126)."""

import time

from browser import Browser
from client import Authorization, Client, each, good, refused, signed_in
from requests_oauth2client import DPoPKey
from server import main, of_one_process
from settings import API1, API2, secret

PREFIX = "urn:ietf:params:oauth:request_uri:"


def _push(client, headers=None, /, **changes):
    """Pushes a request as its client would, and returns it with the answer."""
    request = client.request(**changes)
    parameters = {name: value for name, value in request.parameters.items()
                  if name != "client_id" or client.method == "none"}
    return request, client.post("/oauth/par", parameters, headers)


def _named(client, answer, **more):
    """The parameters that the browser brings for a pushed request."""
    assert answer.status_code == 201, answer.text
    made = Authorization(client, {})
    named = {"client_id": client.id, "request_uri": answer.json()["request_uri"]} | more
    return made.endpoint, named


def _open(browser, client, answer, **more):
    endpoint, named = _named(client, answer, **more)
    return browser.open(endpoint + "?" + "&".join(f"{n}={v}" for n, v in named.items()))


def a_pushed_request_works():
    """PR1, PR4, PR8, PR9: for every kind of client; the address contains only its name."""
    def walk(name):
        client = Client(name)
        request, answer = _push(client, scope="openid email a:read", nonce="n", resource=API1)
        body = answer.json()
        assert answer.status_code == 201 and body.keys() == {"request_uri", "expires_in"}, body
        assert body["request_uri"].startswith(PREFIX) and body["expires_in"] == 60, body
        assert len(body["request_uri"]) >= len(PREFIX) + 43, body
        assert "no-store" in answer.headers["Cache-Control"], answer.headers
        browser = signed_in()
        page = browser.walk(_open(browser, client, answer), "allow")
        tokens = good(client.redeem(request, request.answered(page)["code"]))
        assert set(tokens["scope"].split()) <= {"openid", "email", "a:read"}, tokens
        claims = main().verified(tokens["id_token"], client.id, "JWT")
        assert claims["nonce"] == "n", claims
        assert main().verified(tokens["access_token"], API1)["scope"] == "a:read"
    each(["web", "post", "keyed", "cli"], walk)
    assert main().metadata["pushed_authorization_request_endpoint"] == (
        main().issuer + "/oauth/par")
    assert main().metadata["require_pushed_authorization_requests"] is False


def a_wrong_request_is_refused_when_it_is_pushed():
    """PR1, PR2, PR3: errors of the client and of the request are returned to the client."""
    client = Client("web")
    def check(changes, error):
        refused(_push(client, **changes)[1], error)
    each([
        ({"redirect_uri": "https://evil.example/cb"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"resource": API2}, "invalid_target"),
        ({"request": "e30.e30."}, "request_not_supported"),
        ({"request_uri": PREFIX + "A" * 43}, "invalid_request"),
        ({"state": ["a", "b"]}, "invalid_request"),
        ({"login_hint": "x" * (17 << 10)}, "invalid_request"),
    ], check)
    answer = main().call("POST", "/oauth/par", data={
        "client_id": "web", "client_secret": secret("other")} | client.request().parameters)
    refused(answer, "invalid_client", status=401)
    assert main().call("GET", "/oauth/par").status_code == 405


def only_pushed_parameters_count():
    """PR5: other parameters that the browser brings are ignored, and another client's request is a
    page."""
    client, browser = Client("post"), signed_in()
    request, answer = _push(client, scope="openid")
    page = browser.walk(_open(
        browser, client, answer, scope="email", redirect_uri="https://evil.example/",
        state="other", response_type="token", prompt="none"), "allow")
    tokens = good(client.redeem(request, request.answered(page)["code"]))
    assert tokens["scope"] == "openid", tokens
    _, answer = _push(client)
    for other in ("web", "own", "cli"):
        page = _open(signed_in(), Client(other), answer)
        assert page.status == 400 and page.left is None, page


def a_pushed_request_can_be_used_once():
    """PR6: with one code; until then the page can be loaded again."""
    client, browser = Client("cli"), signed_in()
    request, answer = _push(client)
    first, second = (_open(browser, client, answer) for _ in range(2))
    page = browser.walk(first, "allow")
    good(client.redeem(request, request.answered(page)["code"]))
    page = browser.walk(second, "allow")
    assert page.status == 400 and page.left is None, page
    page = _open(browser, client, answer)
    assert page.status == 400 and page.left is None, page
    # Also without a question.
    own, (request, answer) = Client("own"), _push(Client("own"))
    page = browser.walk(_open(browser, own, answer))
    good(own.redeem(request, request.answered(page)["code"]))
    assert _open(browser, own, answer).left is None


def a_refused_request_is_used_up():
    """PR6: after a refusal the request's name is of no use."""
    client, browser = Client("cli"), signed_in()
    request, answer = _push(client)
    page = browser.walk(_open(browser, client, answer), "deny")
    assert request.answered(page)["error"] == "access_denied"
    assert _open(browser, client, answer).left is None


def unknown_names_get_a_page():
    """PR6: garbage, foreign names and repeated parameters are never redirected."""
    endpoint = Authorization(Client("web"), {}).endpoint
    _, answer = _push(Client("web"))
    uri = answer.json()["request_uri"]
    def check(query):
        page = signed_in().open(f"{endpoint}?{query}")
        assert page.status == 400 and page.left is None, page
    each([f"client_id=web&request_uri={PREFIX}{'A' * 43}",
          f"client_id=web&request_uri={PREFIX}x", f"client_id=web&request_uri={uri}A",
          f"request_uri={uri}", f"client_id=web&client_id=web&request_uri={uri}",
          f"client_id=web&request_uri={uri}&request_uri={uri}"], check)


@of_one_process
def a_pushed_request_is_valid_for_a_minute():
    """PR6: a browser that comes later gets a page; after it came, the person may take longer."""
    client, browser = Client("cli"), signed_in()
    request, early = _push(client)
    page = _open(browser, client, early)
    _, late = _push(client)
    time.sleep(0.01)
    main().age("OAUTHREQUEST#", 61)
    assert _open(browser, client, late).left is None
    page = browser.walk(page, "allow")
    good(client.redeem(request, request.answered(page)["code"]))


def a_pushed_request_survives_a_sign_in():
    """PR8: the request waits while a person signs in, and no address contains a parameter."""
    client, browser = Client("web"), Browser(main(), main().user)
    request, answer = _push(client, state="s" * 1000, scope="openid email")
    page = _open(browser, client, answer)
    assert page.left is None and "s" * 20 not in page.url, page.url
    page = browser.walk(page, "allow")
    good(client.redeem(request, request.answered(page)["code"]))


def a_client_can_be_required_to_push():
    """PR7: with `require_pushed_authorization_requests` a plain request is refused."""
    made = main().call("POST", "/oauth/register", token=secret("registration"), json={
        "client_name": "Pusher", "redirect_uris": ["https://pusher.example/cb"],
        "token_endpoint_auth_method": "none", "require_pushed_authorization_requests": True})
    assert made.status_code == 201, made.text
    assert made.json()["require_pushed_authorization_requests"] is True, made.text
    client, browser = Client(made.json()), signed_in()
    assert client.request().run(browser)["error"] == "invalid_request"
    request, answer = _push(client)
    page = browser.walk(_open(browser, client, answer), "allow")
    good(client.redeem(request, request.answered(page)["code"]))


def a_proof_binds_the_code():
    """RFC 9449 section 10.1: a proof that comes with the request names the key of the code."""
    client, key, other = Client("cli"), DPoPKey.generate("ES256"), DPoPKey.generate("ES256")
    def proof(one, path):
        return {"DPoP": str(one.proof("POST", main().issuer + path))}
    refused(_push(client, proof(key, "/oauth/par"), dpop_jkt=other.dpop_jkt)[1],
            "invalid_request")
    browser = signed_in()
    request, answer = _push(client, proof(key, "/oauth/par"))
    page = browser.walk(_open(browser, client, answer), "allow")
    fields = {"grant_type": "authorization_code", "code_verifier": request.verifier,
              "code": request.answered(page)["code"], "redirect_uri": client.redirect_uri}
    for wrong in ({}, proof(other, "/oauth/token")):
        refused(client.post("/oauth/token", fields, wrong), "invalid_dpop_proof", "invalid_grant")
    tokens = good(client.post("/oauth/token", fields, proof(key, "/oauth/token")))
    assert tokens["token_type"] == "DPoP", tokens
