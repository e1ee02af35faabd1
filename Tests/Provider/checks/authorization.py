"""The authorization request, and the order of its validation."""

import itertools
import time
import urllib.parse

import jwt

import server
from browser import Browser
from client import Client, each, good, refused, signed_in
from server import main
from settings import API1, API2, AUDIENCE

LONG = "x" * 129
# In the order of validation; of two faults the earlier is reported.
ERRORS = [
    ({"state": ["a", "b"]}, "invalid_request"), ({"nonce": ["a", "b"]}, "invalid_request"),
    ({"request": "x.y.z"}, "request_not_supported"),
    ({"request_uri": "https://a.example/r"}, "request_uri_not_supported"),
    ({"registration": "{}"}, "registration_not_supported"),
    ({"response_type": None}, "invalid_request"), ({"response_type": ""}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "code id_token"}, "unsupported_response_type"),
    ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    ({"code_challenge": ""}, "invalid_request"), ({"code_challenge": "short"}, "invalid_request"),
    ({"code_challenge": "x" * 44}, "invalid_request"),
    ({"code_challenge": LONG}, "invalid_request"),
    ({"code_challenge": "x" * 42 + "="}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": "s256"}, "invalid_request"),
    ({"code_challenge_method": "S512"}, "invalid_request"),
    ({"prompt": "none login"}, "invalid_request"),
    ({"scope": "a:read nonsense"}, "invalid_scope"), ({"scope": 'a"b'}, "invalid_scope"),
    ({"resource": "https://unknown.example/"}, "invalid_target"),
    ({"resource": API2}, "invalid_target"), ({"resource": [API1, API2]}, "invalid_target"),
    ({"resource": API1[:-1]}, "invalid_target"), ({"resource": API1 + "#f"}, "invalid_target"),
    ({"resource": "relative"}, "invalid_target"), ({"resource": AUDIENCE}, "invalid_target"),
    ({"max_age": "-1"}, "invalid_request"), ({"max_age": "soon"}, "invalid_request"),
]


def errors_are_redirected_to_the_client():
    """B14, B15, R1, G3, P1, P3: each fault by a redirect with its error, state and issuer."""
    browser = signed_in()

    def check(changes, error):
        request = Client("web").request(**changes)
        if "state" in changes:
            assert browser.open(request.url).answer["error"] == error
        else:
            assert request.run(browser, None)["error"] == error
    each(ERRORS, check)


def errors_come_in_the_order_of_validation():
    """R1: the errors come in the order of validation."""
    browser = signed_in()
    kinds = [ERRORS[index] for index in (1, 2, 7, 9, 19, 20, 22, 29)]

    def check(one, other):
        request = Client("web").request(**one[0] | other[0])
        assert request.run(browser, None)["error"] == one[1]
    each(itertools.combinations(kinds, 2), check)


def hints_and_unknown_parameters_are_no_errors():
    """B42, B43, A5, G4, K5, R1: hints, unknown and empty ones; and `offline_access` alone."""
    client = Client("web")
    rows = [{}, {"scope": None}, {"nonce": ""}, {"resource": ""}, {"unknown": "a"},
            {"acr_values": "urn:mace:incommon:iap:gold"}, {"login_hint": "<b>@example.com"},
            {"ui_locales": "de en"}, {"display": "touch"}, {"claims_locales": "de"},
            {"response_mode": "query"}, {"claims": '{"userinfo": {"email": null}}'},
            {"prompt": "nonsense"}, {"scope": "openid nonsense"}, {"state": "x" * 2048},
            {"state": "a&b=c %+\"'<é>#/?"}, {"prompt": ""}, {"max_age": "100000"},
            {"scope": "openid offline_access"}, {"scope": "openid address phone"}]
    browser = signed_in()

    def check(changes):
        request, code = client.code(browser, **changes)
        tokens = good(client.redeem(request, code))
        assert tokens["refresh_token"] and "nonsense" not in tokens.get("scope", ""), tokens
    each([*rows, *rows[:1]], check)
    request = client.request(state=None)
    assert "state" not in request.run(browser)


def an_unsupported_response_mode_is_not_redirected():
    """R2: 400 without a redirect."""
    for mode in ("fragment", "nonsense", "web_message", "query.jwt"):
        answer = main().call("GET", Client("web").request(response_mode=mode).url)
        assert answer.status_code == 400 and "Location" not in answer.headers, (mode, answer.text)


def a_post_from_another_site_works():
    """A5, A9, E1, G2, G5, G8: POST works, by 303; no CORS; no frames; hints are escaped."""
    client, browser = Client("web"), signed_in()
    request = client.request()
    origin = {"Origin": "https://web.example.com", "Sec-Fetch-Site": "cross-site"}
    answer = main().call("POST", request.endpoint, data=request.parameters, headers=origin)
    assert answer.status_code == 303, answer.text
    page = browser.walk(browser.open(urllib.parse.urljoin(
        request.endpoint, answer.headers["Location"])))
    assert good(client.redeem(request, request.answered(page)["code"]))
    for method in ("GET", "OPTIONS"):
        answer = main().call(method, request.url, headers=origin)
        assert "Access-Control-Allow-Origin" not in answer.headers, answer.headers
    answer = main().call("POST", request.endpoint, json=request.parameters)
    assert answer.status_code in (400, 415) and "Location" not in answer.headers, answer.headers
    for cookie in main().call("GET", request.url).raw.headers.getlist("Set-Cookie"):
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie, cookie
    page = Browser(main()).open(client.request(login_hint='<b>"x', ui_locales="de").url)
    assert '<b>"x' not in page.source and 'lang="de"' in page.source, page.source
    policy = page.headers["Content-Security-Policy"]
    assert "https://web.example.com" in policy.split("form-action")[1].split(";")[0], policy
    assert page.headers["X-Frame-Options"] == "DENY", page.headers
    assert "frame-ancestors 'none'" in policy, policy
    assert "no-store" in page.headers["Cache-Control"], page.headers


def one_redirect_uri_may_be_left_out():
    """U7: OAuth lets a client with one redirect URI leave it out, in both requests."""
    client = Client("web")
    request = client.request(scope="a:read", resource=API1, redirect_uri=None)
    request.parameters["redirect_uri"] = client.redirect_uri
    code = request.run()["code"]
    assert good(client.redeem(request, code, redirect_uri=None))["access_token"]


def an_extension_parameter_may_not_repeat():
    """G3: not even one that is unknown, unless its extension lets it repeat."""
    page = signed_in().open(Client("web").request(unknown=["a", "b"]).url)
    assert page.answer["error"] == "invalid_request", page
    refused(Client("web").token(
        grant_type="refresh_token", refresh_token="x", unknown=["a", "b"]), "invalid_request")


def a_login_hint_does_not_tell_who_has_an_account():
    """A9: the page is the same with the address of an account and with another."""
    pages = []
    for address in (main().user.email, "0" * 16 + "@example.com"):
        page = Browser(main()).open(Client("web").request(login_hint=address).url)
        assert address in page.source, page
        pages.append(page.text.replace(address, ""))
    assert pages[0] == pages[1], pages


def every_page_of_a_request_is_protected():
    """G2, G8: sign-in, consent and error: no frames, not stored; after a form 303."""
    client, browser = Client("web"), Browser(main(), main().account())
    start = browser.open(client.request().url)
    page = browser.walk(start, None)
    failed = browser.open(client.request(redirect_uri="https://evil.example/").url)
    assert start.form("password") and page.form("decision") and failed.status == 400, failed
    for one in (start, page, failed):
        policy = one.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, policy
        assert one.headers["X-Frame-Options"] == "DENY", one.headers
        assert "no-store" in one.headers["Cache-Control"], one.headers
    assert browser.decide(page, "allow").status == 303


def prompt_none_is_answered_without_a_page():
    """A1: `prompt=none` is answered at once, with what is missing."""
    user = main().account()
    browser = Browser(main(), user).sign_in()

    def check(name, who, error):
        page = who.open(Client(name).request(prompt="none").url)
        assert page.answer.get("error") == error, page
    each([("web", Browser(main()), "login_required"), ("web", browser, "consent_required"),
          ("cli", browser, "consent_required")], check)
    Client("web").code(browser)
    Client("cli").code(browser)
    each([("web", browser, None), ("cli", browser, "consent_required")], check)


def prompt_login_and_max_age_ask_again():
    """B54, A2, A3: `prompt=login` and `max_age` ask again, and `auth_time` is later."""
    client, user = Client("web"), main().account()
    browser = Browser(main(), user).sign_in()

    def time_of(**changes):
        request, code = client.code(browser, **changes)
        token = good(client.redeem(request, code))["id_token"]
        return main().verified(token, client.id, "JWT")["auth_time"]
    before = time_of()
    time.sleep(max(0, before + 2 - time.time()))
    assert time_of(max_age="10000") == before and browser.sign_ins == 0
    for changes in ({"max_age": "1"}, {"max_age": "0"}):
        answer = client.request(prompt="none", **changes).run(browser)
        assert answer.get("error") == "login_required", answer
    page = browser.open(client.request(prompt="select_account").url)
    assert page.status == 200 and page.forms, f"no account was asked for: {page}"
    for changes in ({"max_age": "1"}, {"prompt": "login"}, {"max_age": "0"}):
        signs, began = browser.sign_ins, int(time.time())
        assert time_of(**changes) >= began and browser.sign_ins == signs + 1, changes


def a_request_outlives_the_session_of_the_browser():
    """A6: in a browser whose session has ended, the person signs in, and the request goes on."""
    here, client, user = main(), Client("web"), main().account()
    browser = Browser(here, user).sign_in()
    answer = here.call(
        "POST", "/auth/signout", json={"scope": "all"}, token=user.tokens["accessToken"])
    assert answer.ok, answer.text
    good(client.redeem(*client.code(browser)))
    assert browser.sign_ins == 1, browser.sign_ins


def an_id_token_hint_of_another_user_is_an_error():
    """A4, R3: an `id_token_hint` of another user is an error, an own one is none."""
    client = Client("web")
    own, other = main().user, main().account()
    hint = client.grant()["id_token"]
    browser = Browser(main(), other).sign_in()
    client.code(browser)
    # Another is signed in, or signs in.
    for prompt, who in (("none", browser), (None, browser), (None, Browser(main(), other))):
        answer = client.request(prompt=prompt, id_token_hint=hint).run(who)
        assert answer.get("error") in ("login_required", "account_selection_required"), answer
    assert "code" in client.request(prompt="none", id_token_hint=hint).run(signed_in())
    forged = jwt.encode({"iss": main().issuer, "sub": own.id, "aud": client.id}, "x" * 64, "HS256")
    for wrong in (forged, "nonsense"):
        assert "error" in client.request(prompt="none", id_token_hint=wrong).run(signed_in())


def a_bare_issuer_works_too():
    """M1, B45: the same at an issuer without a path, which is written without a slash."""
    here = server.bare()
    tokens = Client("web", here).grant(scope="openid email")
    assert here.verified(tokens["id_token"], "web", "JWT")["iss"] == here.origin
