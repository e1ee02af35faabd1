"""Hooks of the operator, and what clients and resources want for themselves."""

import contextlib

from browser import Browser
from client import Client, good, refused
from requests_oauth2client import DPoPKey
from server import particular
from settings import API1, API2, KEYS


@contextlib.contextmanager
def _answers(**answers):
    hooks = particular().hooks
    hooks.events.clear()
    hooks.answers = answers
    try:
        yield hooks.events
    finally:
        hooks.answers = {}


def _client(name):
    here = particular()
    return Client(here.clients.get(name, name), here)


def _browser():
    return Browser(particular(), particular().account()).sign_in()


def a_hook_adds_claims_for_clients():
    """B55: by target, with application, scope and resource; our own claims are never replaced."""
    here, client, browser = particular(), _client("web"), _browser()
    claims = {"plan": "pro"}
    with _answers(accessToken={"claims": claims}, userinfo={"claims": {"tier": 2}},
                  idToken={"claims": {"group": "a"}}) as events:
        tokens = client.grant(browser, scope="openid a:read", resource=API1)
        access = here.verified(tokens["access_token"], API1)
        assert access["plan"] == "pro" and "group" not in access, access
        identity = here.verified(tokens["id_token"], client.id, "JWT")
        assert identity["group"] == "a" and "plan" not in identity, identity
        named = [event for event in events if event.get("target") == "accessToken"]
        assert len(named) == 1 and named[0]["application"] == {
            "id": "web", "name": client.members["client_name"]}, named
        assert named[0]["resource"] == API1 and named[0]["scope"] == ["a:read"], named
        assert good(client.refresh(tokens["refresh_token"]))["access_token"]
        tokens = client.grant(browser)
        info = client.userinfo(tokens["access_token"]).json()
        assert info["tier"] == 2 and info["sub"] == browser.user.id, info


def a_hook_cannot_replace_reserved_claims():
    """B21, B55: an answer with one of our claims is a failure, and nothing is used up."""
    client, browser = _client("web"), _browser()
    for name in ("sub", "aud", "iss", "scope", "client_id", "exp", "cnf", "amr"):
        request, code = client.code(browser)
        with _answers(accessToken={"claims": {name: "x"}}):
            answer = client.redeem(request, code)
            assert answer.status_code == 503, (name, answer.text)
        assert good(client.redeem(request, code))["access_token"], name


def a_hook_decides_about_clients():
    """K3, A6: it refuses, asks for consent, or for a new sign-in; a failure gives no code."""
    client, browser = _client("own"), _browser()
    with _answers() as events:
        browser.consents = 0
        assert client.grant(browser)["access_token"] and not browser.consents
        asked = [event for event in events if event["hook"] == "authorize"]
        assert len(asked) == 1 and asked[0]["application"]["id"] == "own", asked
        assert asked[0]["user"]["id"] == browser.user.id, asked
    with _answers(authorize={"decision": "consent"}):
        assert client.grant(browser)["access_token"] and browser.consents == 1
    with _answers(authorize={"decision": "refuse"}):
        assert client.request().run(browser)["error"] == "access_denied"
        assert client.request(prompt="none").run(browser)["error"] == "access_denied"
    with _answers(authorize={"decision": "stepUp"}):
        browser.sign_ins = 0
        assert client.request(prompt="none").run(browser)["error"] == "login_required"
        page = browser.open(client.request().url)
        assert page.left is None and page.form("currentPassword"), page
        particular().hooks.answers = {}
        assert "code" in browser.walk(page).answer and browser.sign_ins == 1
    with _answers(authorize={"decision": "perhaps"}):
        page = browser.open(client.request().url)
        assert not page.left or "code" not in page.answer, page


def the_hook_is_called_after_a_sign_in():
    """B27, A6: if the request waited for a sign-in, the hook gets the user who signed in."""
    user = particular().account()
    browser, client = Browser(particular(), user), _client("web")
    with _answers() as events:
        assert "code" in client.request().run(browser)
        asked = [event for event in events if event["hook"] == "authorize"]
        assert [event["user"]["id"] for event in asked] == [user.id], asked


def a_resource_has_its_lifetime_and_algorithm():
    """S1, O4: its tokens have its lifetime and algorithm, and are bound if it requires that."""
    here, client, browser = particular(), _client("cli"), _browser()
    tokens = client.grant(browser, scope="a:read", resource=API1)
    claims = here.verified(tokens["access_token"], API1)
    assert tokens["expires_in"] == claims["exp"] - claims["iat"] == 60, tokens
    key = DPoPKey.generate("ES256")
    request, code = client.code(browser, scope="b:read", resource=API2)
    refused(client.redeem(request, code), "invalid_dpop_proof")
    proof = {"DPoP": str(key.proof("POST", here.issuer + "/oauth/token"))}
    tokens = good(client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri}, proof))
    claims = here.verified(tokens["access_token"], API2)
    assert tokens["token_type"] == "DPoP" and claims["cnf"]["jkt"] == key.dpop_jkt, claims
    assert here.key(tokens["access_token"]).algorithm_name == "RS256"


def a_client_can_require_bound_tokens():
    """J4: a request without a proof gets no token, and the code is not used up."""
    client = _client("bound")
    request, code = client.code(_browser())
    refused(client.redeem(request, code), "invalid_dpop_proof")
    proof = DPoPKey.generate("ES256").proof("POST", particular().issuer + "/oauth/token")
    assert good(client.post("/oauth/token", {
        "grant_type": "authorization_code", "code": code, "code_verifier": request.verifier,
        "redirect_uri": client.redirect_uri}, {"DPoP": str(proof)}))["token_type"] == "DPoP"


def keys_at_an_address_are_fetched_and_kept():
    """C6, C8: keys of `jwks_uri`; for an unknown key they are fetched again; other URLs are
    refused."""
    here, client = particular(), _client("fetched")
    before = here.host.fetched.count("/keys")
    tokens = client.grant(_browser())
    assert client.is_alive(tokens) and client.introspect(tokens["access_token"])["active"]
    assert here.host.fetched.count("/keys") - before <= 1, here.host.fetched
    answer = here.call("POST", "/oauth/token", data={
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"],
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": client.assertion(KEYS["RS256"], "RS256", {"kid": "ES256"})})
    refused(answer, "invalid_client", status=401)


def a_hook_decides_about_devices():
    """D4: it can refuse, which the device learns, or require a new proof of who the person is."""
    client, browser = _client("tv"), _browser()
    with _answers(authorize={"decision": "refuse"}) as events:
        device = good(client.begin(scope="a:read", resource=API1))
        page = browser.typed(device["user_code"])
        assert page.form("decision") is None, page
        assert events[-1]["application"]["id"] == "tv", events
        refused(client.poll(device["device_code"]), "access_denied")
    with _answers(authorize={"decision": "stepUp"}):
        device = good(client.begin(scope="a:read", resource=API1))
        page = browser.typed(device["user_code"])
        assert page.form("currentPassword"), page
    page = browser.walk(page, None)
    assert page.form("user_code")["fields"]["user_code"] == device["user_code"], page
    browser.connect(device["user_code"])
    assert good(client.poll(device["device_code"]))["access_token"]
