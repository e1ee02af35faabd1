"""The authorization request, and the order of its validation."""

import base64
import hmac
import itertools
import json
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

import server
from browser import Browser
from client import Client, each, good, refused, signed_in
from server import main
from settings import API1, API2, AUDIENCE, KEYS

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
    ({"claims": "x"}, "invalid_request"), ({"claims": '{"id_token": 1}'}, "invalid_request"),
    ({"claims": '{"userinfo": {"name": 1}}'}, "invalid_request"),
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


def hints_and_unknown_parameters_are_not_errors():
    """B42, B43, A5, G4, K5, R1: hints, unknown and empty parameters; `offline_access` as the only
    scope."""
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


def a_single_redirect_uri_may_be_omitted():
    """U7: OAuth lets a client with one redirect URI leave it out, in both requests."""
    client = Client("web")
    request = client.request(scope="a:read", resource=API1, redirect_uri=None)
    request.parameters["redirect_uri"] = client.redirect_uri
    code = request.run()["code"]
    assert good(client.redeem(request, code, redirect_uri=None))["access_token"]


def an_extension_parameter_must_not_repeat():
    """G3: even an unknown parameter, unless its extension lets it repeat."""
    page = signed_in().open(Client("web").request(unknown=["a", "b"]).url)
    assert page.answer["error"] == "invalid_request", page
    refused(Client("web").token(
        grant_type="refresh_token", refresh_token="x", unknown=["a", "b"]), "invalid_request")


def a_login_hint_does_not_reveal_accounts():
    """A9: the page does not depend on whether the address has an account."""
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


def prompt_create_begins_with_a_registration():
    """Initiating User Registration section 4: the page of a new account, also if signed in."""
    client = Client("web")
    for browser in (Browser(main()), Browser(main(), main().account()).sign_in()):
        page = browser.open(client.request(prompt="create").url)
        assert page.form("newPassword") and page.status == 200, page
    assert "create" in main().metadata["prompt_values_supported"]
    # With the account that there is, the request goes on.
    page = browser.walk(browser.open("/auth/ui/signin"))
    assert page.answer.get("code"), page


def a_stronger_proof_is_requested():
    """R1; RFC 9470 section 4: `acr_values` asks users who can give more, and refuses nobody."""
    client, user = Client("web"), main().account()
    browser = Browser(main(), user).sign_in()

    def proven(**changes):
        request, code = client.code(browser, **changes)
        token = good(client.redeem(request, code))["id_token"]
        return main().verified(token, client.id, "JWT")["acr"]
    def insisting(*values, **more):
        acr = {"essential": True, "values": values}
        return client.request(claims=json.dumps({"id_token": {"acr": acr}}), **more)
    # Nothing more can be proven, and nobody is asked; who insists is refused.
    assert proven(acr_values="phr aal2") == "aal1" and browser.sign_ins == 0
    for request in (insisting("phr", "aal2"), insisting("urn:unknown"),
                    insisting("phr", prompt="none")):
        answer = request.run(browser)
        assert answer["error"] == "unmet_authentication_requirements", answer
    assert browser.sign_ins == 0
    secret = main().call("POST", "/auth/totp", token=user.tokens["accessToken"]).json()["secret"]
    answer = main().call("POST", "/auth/totp/confirm", token=user.tokens["accessToken"],
                         json={"code": _one_time_code(secret)})
    assert answer.ok, answer.text
    # The enrolment has ended the session. The next one trusts the browser, and another follows.
    codes = answer.json()["recoveryCodes"]
    page = browser.walk(browser.open("/auth/ui/signin"))
    browser.submit(page, page.form("recoveryCode"), recoveryCode=codes[0])
    page = browser.open("/auth/ui/devices")
    browser.submit(page, page.form("code"), code=_one_time_code(secret, 1))
    page = browser.open("/auth/ui/account")
    browser.submit(page, next(form for form in page.forms if "signout" in form["action"]))
    browser.sign_in()
    assert proven(acr_values="urn:unknown") == proven(acr_values="aal1") == "aal1"
    assert client.request(acr_values="aal2", prompt="none").run(browser).get("code")
    answer = insisting("aal2", prompt="none").run(browser)
    assert answer["error"] == "interaction_required", answer
    page = browser.open(client.request(acr_values="phr aal2").url)
    page = browser.submit(page, page.form("recoveryCode"), recoveryCode=codes[1])
    assert page.answer.get("code"), page
    assert proven(acr_values="aal2") == "aal2"
    # A passkey would be better, but there is none.
    assert proven(acr_values="phr") == "aal2"
    request = insisting("aal1")
    token = good(client.redeem(request, request.run(browser)["code"]))["id_token"]
    assert main().verified(token, client.id, "JWT")["acr"] == "aal1"


def _one_time_code(secret, ahead=0):
    """RFC 6238."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    counter = (int(time.time()) // 30 + ahead).to_bytes(8, "big")
    digest = hmac.digest(key, counter, "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 1000000:06}"


def a_request_survives_the_end_of_the_session():
    """A6: in a browser whose session has ended, the person signs in, and the request goes on."""
    here, client, user = main(), Client("web"), main().account()
    browser = Browser(here, user).sign_in()
    answer = here.call(
        "POST", "/auth/signout", json={"scope": "all"}, token=user.tokens["accessToken"])
    assert answer.ok, answer.text
    good(client.redeem(*client.code(browser)))
    assert browser.sign_ins == 1, browser.sign_ins


def an_id_token_hint_of_another_user_is_an_error():
    """A4, R3: a hint of another user is refused, one of the same user is accepted."""
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


def an_expired_hint_is_accepted():
    """B59, A4, L3: an expired ID token also names the user."""
    here = server.particular()
    client, other = Client("keyed", here), Browser(here, here.account()).sign_in()
    user = here.account()
    browser = Browser(here, user).sign_in()
    token, long_ago = client.grant(browser)["id_token"], int(time.time()) - 86_400
    claims = jwt.decode(token, options={"verify_signature": False})

    def hint(key=KEYS["ES256"], **changes):
        return jwt.encode(claims | {"iat": long_ago, "exp": long_ago + 600} | changes, key,
                          "ES256", {"kid": jwt.get_unverified_header(token)["kid"]})
    assert "code" in client.request(prompt="none", id_token_hint=hint()).run(browser)
    client.code(other)
    answer = client.request(prompt="none", id_token_hint=hint()).run(other)
    assert answer["error"] == "login_required", answer
    for wrong in (hint(ec.generate_private_key(ec.SECP256R1())), hint(aud="web")):
        answer = client.request(prompt="none", id_token_hint=wrong).run(browser)
        assert answer["error"] == "invalid_request", answer
    # It signs its own session out, too.
    assert user.email in browser.open("/auth/ui/account").text
    browser.open(f"/oauth/logout?id_token_hint={hint()}")
    assert user.email not in browser.open("/auth/ui/account").text


def an_error_contains_the_refused_scope():
    """B51, P2, R1: to the client and in the log; a text that is not a valid scope is not
    repeated."""
    client, browser = Client("web"), signed_in()

    def check(changes, error, word):
        logged = len(main().log)
        answer = client.request(**changes).run(browser)
        assert answer["error"] == error, answer
        text = answer["error_description"]
        assert word in text if word else not set(text) & set('"\\<\xe9x'), answer
        assert all(" " <= letter <= "~" and letter not in '"\\' for letter in text), answer
        (line,) = main().logged(f'"error":"{error}"', after=logged)
        assert "nonsense" not in line, line
    each([
        ({"scope": "a:read nonsense"}, "invalid_scope", "The scope nonsense is"),
        ({"resource": "https://nonsense.example/"}, "invalid_target", "https://nonsense.example/"),
        ({"scope": 'a"b<'}, "invalid_scope", None), ({"scope": "\xe9\\"}, "invalid_scope", None),
        ({"scope": "x" * 256}, "invalid_scope", None),
        ({"resource": "https://\xe9.example/"}, "invalid_target", None),
    ], check)
    tokens = client.grant(scope="openid a:read", resource=API1)
    for changes, error, word in (({"scope": "nonsense"}, "invalid_scope", "nonsense"),
                                 ({"resource": API2}, "invalid_target", API2)):
        answer = refused(client.refresh(tokens["refresh_token"], **changes), error)
        assert word in answer["error_description"], answer


def an_issuer_without_a_path_works():
    """M1, B45: an issuer without a path, written without a slash, works as well."""
    here = server.bare()
    tokens = Client("web", here).grant(scope="openid email")
    assert here.verified(tokens["id_token"], "web", "JWT")["iss"] == here.origin
