"""The emulated providers refuse what Apple, Google and OpenID providers refuse, in their words."""

import base64

from idp_app import (
    APP, CALLBACK, CHALLENGE, JSON, VERIFIER, acme, apple, apple_secret, arrival, done, failed,
    google, hashed, idp, offline, person, user)
from judge import case, run
from oauth_app import Form

OTHER = "com.example.other"


@case
def google_issues_a_refresh_token_at_the_first_consent_or_on_request():
    me = person()
    for app, has in (
        (google, False), (offline, True), (offline, False), (offline.but(prompt="consent"), True),
        (google.but(prompt="consent"), False),
    ):
        assert ("refresh_token" in app.tokens(me)) is has, app.parameters


@case
def a_used_code_is_refused_in_the_words_of_the_provider():
    used = "The code has already been used."
    for app, words in ((apple, used), (acme, used), (google, "Bad Request")):
        code = app.code()
        assert app.redeem(code).status_code == 200
        failed(app.redeem(code), 400, "invalid_grant", words)


@case
def apple_refuses_a_code_of_another_client():
    code = apple.code()
    other = "http://127.0.0.1:3000/other"
    failed(
        apple.redeem(code, redirect_uri=other), 400, "invalid_grant",
        f"redirect_uri mismatch. The code was not issued to {other}.")
    failed(
        apple.redeem(code, client_id=OTHER, client_secret=apple_secret(OTHER)), 400,
        "invalid_grant", f"client_id mismatch. The code was not issued to {OTHER}.")
    # The code was not used by either.
    assert apple.redeem(code).status_code == 200


@case
def google_refuses_a_code_with_other_parameters():
    for changes, error, words in (
        ({"redirect_uri": "http://127.0.0.1:3000/Callback"}, "redirect_uri_mismatch",
         "Bad Request"),
        ({"redirect_uri": None}, "invalid_request", "Missing required parameter: redirect_uri"),
        ({"client_id": "another"}, "invalid_grant", "Bad Request"),
        ({"code": "4/0nonsense"}, "invalid_grant", "Bad Request"),
        ({"code": None}, "invalid_request", "Missing required parameter: code"),
        ({"code": "a\0b"}, "invalid_grant", "Bad Request"),
        ({"code_verifier": None}, "invalid_grant", "Missing code verifier."),
        ({"code_verifier": VERIFIER + "x"}, "invalid_grant", "Invalid code verifier."),
        ({"code_verifier": CHALLENGE}, "invalid_grant", "Invalid code verifier."),
        ({"code_verifier": "short"}, "invalid_grant", "Invalid code verifier."),
        ({"grant_type": None}, "invalid_request", "Missing required parameter: grant_type"),
        ({"grant_type": "password"}, "unsupported_grant_type", "Invalid grant_type: password"),
        ({"client_id": None}, "invalid_request", "Could not determine client ID from request."),
    ):
        code = google.code()
        form = {"code": code, **changes}
        failed(google.redeem(form.pop("code"), **form), 400, error, words)
        assert google.redeem(code).status_code == 200


@case
def a_verifier_without_a_challenge_is_not_needed():
    app = google.but(code_challenge=None, code_challenge_method=None)
    code = app.code()
    failed(app.redeem(code), 400, "invalid_grant", "code_verifier or verifier is not needed")
    assert app.redeem(code, code_verifier=None).status_code == 200


@case
def a_client_with_a_secret_authenticates_in_one_of_two_ways():
    def basic(text, scheme="Basic"):
        return f"{scheme} {base64.b64encode(text.encode()).decode()}"

    right = basic("acme-client:s3cret%2F%2B+%3F")
    for secret, header, status in (
        (None, right, 200), (None, basic("acme-client:s3cret%2F%2B%20%3F", "basic"), 200),
        (None, basic("acme-client:s3cret/+ ?"), 200), ("s3cret/+ ?", None, 200),
        (None, None, 400), ("s3cret/+ ??", None, 401), (None, basic("acme-client:wrong"), 401),
        (None, basic("other:s3cret%2F%2B+%3F"), 401), (None, basic("acme-client"), 401),
        (None, "Basic ***", 401), (None, "Bearer x", 401), ("s3cret/+ ?", right, 401),
    ):
        answer = acme.redeem(
            acme.code(), {"Authorization": header} if header else None, client_secret=secret)
        assert answer.status_code == status, (secret, header, answer.text)
        if status == 401:
            failed(answer, 401, "invalid_client")
            assert ("WWW-Authenticate" in answer.headers) is (header is not None)


@case
def a_body_that_is_not_an_unambiguous_form_is_refused():
    form = "application/x-www-form-urlencoded; charset=utf-8"
    for kind, body in (
        *((kind, "grant_type=authorization_code") for kind in (
            "", "application/json", "text/plain", "multipart/form-data; boundary=x")),
        (form, "code=1&code=2&client_id=a&grant_type=authorization_code"), (form, "a=%zz"),
        (form, "a=%ff"), (form, 65 * "a&"), (form, "code=" + 8193 * "x"),
    ):
        answer, _ = idp("POST", "google/token", data=body, headers={"Content-Type": kind})
        failed(answer, 400, "invalid_request")


@case
def a_refresh_token_is_bound_to_its_client_and_is_no_access_token():
    tokens = offline.tokens(person())
    failed(
        offline.refresh(tokens["refresh_token"], client_id="another"), 401, "unauthorized_client")
    for token in (tokens["access_token"], "nonsense"):
        failed(offline.refresh(token), 400, "invalid_grant", "Bad Request")


def revoke(token, client=apple.client, secret=None):
    form = {"client_id": client, "client_secret": secret or apple_secret(client), "token": token,
            "token_type_hint": "refresh_token"}
    return idp("POST", "apple/auth/revoke", data=form)[0]


@case
def revoking_either_token_of_apple_revokes_both_and_the_consent():
    for name in ("access_token", "refresh_token"):
        me = person()
        first = apple.approve(me)
        assert "user" in first
        tokens = apple.redeem(first["code"]).json()
        answer = revoke(tokens[name])
        assert answer.status_code == 200 and answer.content == b""
        failed(apple.refresh(tokens["refresh_token"]), 400, "invalid_grant")
        assert "user" in apple.approve(me) and "user" not in apple.approve(me)
        # The new consent does not reactivate the old token.
        failed(apple.refresh(tokens["refresh_token"]), 400, "invalid_grant")


@case
def apple_revokes_any_token_but_only_for_its_client():
    assert revoke("nonsense").status_code == 200
    failed(revoke(None), 400, "invalid_request")
    failed(revoke("x", secret="y"), 400, "invalid_client")
    # Another client's token counts as unknown.
    token = apple.tokens(person())["refresh_token"]
    assert revoke(token, OTHER).status_code == 200
    assert apple.refresh(token).status_code == 200


@case
def google_accepts_the_token_in_query_or_form_and_reports_an_unknown_one():
    me = person()
    tokens = offline.tokens(me)
    known = "google/tokeninfo?access_token=" + tokens["access_token"]
    assert done("GET", known)
    assert done("POST", "google/revoke", data={"token": tokens["access_token"]}) == {}
    answer, _ = idp("POST", "google/revoke", params={"token": tokens["refresh_token"]})
    failed(answer, 400, "invalid_token", "Token expired or revoked")
    failed(
        offline.refresh(tokens["refresh_token"]), 400, "invalid_grant",
        "Token has been expired or revoked.")
    assert idp("GET", known)[0].status_code == 400
    # The next consent counts as the first.
    assert "refresh_token" in offline.tokens(me)


@case
def a_revocation_also_ends_earlier_codes():
    me = person()
    tokens, code = acme.tokens(me), acme.code(me)
    form = {"client_id": acme.client, **acme.secret(), "token": tokens["access_token"]}
    assert idp("POST", "acme/revoke", data=form)[0].status_code == 200
    failed(acme.redeem(code), 400, "invalid_grant")


def bearer(token, scheme="Bearer"):
    return {"Authorization": f"{scheme} {token}"}


@case
def userinfo_tells_what_was_consented_to():
    token = google.tokens()["access_token"]
    answer, info = idp("GET", "google/v1/userinfo", headers=bearer(token))
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert (info["email"], info["name"], info["hd"]) == (
        "ada@example.com", "Ada Lovelace", "example.com"), info
    assert "iss" not in info
    assert done("POST", "google/v1/userinfo", data={"access_token": token}) == info
    less = acme.but(scope="openid").tokens(person())["access_token"]
    assert list(done("GET", "acme/userinfo", headers=bearer(less, "bearer"))) == ["sub"]


@case
def userinfo_requires_a_valid_token():
    for header in (None, "Bearer nonsense", "Bearer ", "Basic eDp5", "Bearer a b", "x"):
        answer, _ = idp(
            "GET", "google/v1/userinfo", headers={"Authorization": header} if header else None)
        assert answer.status_code == 401, header
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


@case
def tokeninfo_tells_the_claims_of_a_token_as_strings():
    token = done("POST", "google/mint", {"nonce": "n-1"})["idToken"]
    info = done("GET", f"google/tokeninfo?id_token={token}")
    claims = google.claims(token)
    assert (info["aud"], info["email_verified"], info["exp"], info["nonce"], info["alg"]) == (
        google.client, "true", str(claims["exp"]), "n-1", "RS256"), info
    assert info["kid"]
    assert done("POST", "google/tokeninfo", data={"id_token": token}) == info
    access = google.tokens()["access_token"]
    info = done("GET", f"google/tokeninfo?access_token={access}")
    assert 3590 <= int(info["expires_in"]) <= 3600, info
    assert (info["email"], info["access_type"]) == ("ada@example.com", "online"), info


@case
def tokeninfo_refuses_invalid_tokens():
    for fault in ("expired", "wrong-key", "alg-none", "unknown-kid", "padded", "not-json"):
        token = done("POST", "google/mint", {"fault": fault})["idToken"]
        answer, _ = idp("GET", f"google/tokeninfo?id_token={token}")
        failed(answer, 400, "invalid_token", "Invalid Value")
    failed(idp("GET", "google/tokeninfo")[0], 400, "invalid_request")


@case
def apple_posts_a_code_and_the_name_of_the_user_only_once():
    form = {"account": "new", "new_email": person(), "new_name": "Zoë O'Neill"}
    first = apple.choose(**form, decision="approve")
    assert first["url"] == CALLBACK and first["state"] == "st" and first["code"]
    assert "id_token" not in first
    assert user(first) == {
        "name": {"firstName": "Zoë", "lastName": "O'Neill"}, "email": form["new_email"]}
    # The account is now on the page.
    assert f"Zoë O&#39;Neill<small>{form['new_email']}</small>" in apple.page().text
    listed = {one["email"]: one["name"] for one in done("GET", "apple/accounts")["accounts"]}
    assert listed[form["new_email"]] == "Zoë O'Neill", listed
    assert (listed["ada@example.com"], listed["grace@example.com"]) == (
        "Ada Lovelace", "Grace Hopper")
    second = apple.choose(account=form["new_email"], decision="approve")
    assert second["code"] != first["code"] and "user" not in second
    assert "user" in apple.approve(person())


@case
def the_relay_address_of_apple_is_permanent():
    me = person()
    done("POST", "apple/accounts", {"email": me})
    hidden = apple.choose(account=me, email_choice="hide", decision="approve")
    assert user(hidden)["email"].endswith("@privaterelay.appleid.com")
    # Later choices have no effect: the app knows the user by that address.
    again = apple.but(response_type="code id_token").approve(me)
    claims = apple.claims(again["id_token"])
    assert claims["email"] == user(hidden)["email"] and claims["is_private_email"] == "true"
    assert claims["c_hash"] == hashed(again["code"], 16) and claims["nonce"] == "n-1"


@case
def scopes_of_apple_require_a_posted_form():
    for mode in ("query", "fragment", None):
        failed(
            apple.but(response_mode=mode).page(headers=JSON), 400, "invalid_request",
            "response_mode must be form_post when name or email scope is requested.")
    assert apple.but(response_mode=None, scope=None).approve()["code"]
    failed(apple.but(scope="profile").page(headers=JSON), 400, "invalid_scope")


@case
def cancelling_returns_an_error_to_the_app():
    assert apple.choose(decision="cancel")["error"] == "user_cancelled_authorize"
    assert apple.approve("cancel")["state"] == "st"
    assert google.choose(decision="cancel")["error"] == "access_denied"
    assert acme.choose(account="ada@example.com")["error"] == "access_denied"


@case
def an_invalid_choice_shows_the_page_again():
    for fields in (
        {"account": "new"}, {"account": "new", "new_email": "nobody"}, {},
        {"account": 'a@b"><script>'}, {"account": "new", "new_email": "a@b", "new_name": "\x01"},
    ):
        transaction = Form(acme.page().text).fields["transaction"]
        page = acme.decide(transaction, decision="approve", **fields)
        assert page.status_code == 400 and 'role="alert"' in page.text, fields
        following = Form(page.text).fields["transaction"]
        assert following != transaction
        chosen = acme.decide(following, decision="approve", account="ada@example.com")
        assert arrival(chosen)["code"]


@case
def hints_choose_the_account():
    page = google.but(login_hint="GRACE@example.com").page().text
    assert 'value="grace@example.com" checked' in page
    me = person()
    page = google.but(login_hint=me).page().text
    assert 'value="new" checked' in page and f'name="new_email" value="{me}"' in page
    app = google.but(hd="corp.example")
    assert "ada@example.com" not in app.page().text
    assert app.approve()["error"] == "access_denied"
    assert app.approve("bob@Corp.Example")["code"]
    anybody = google.but(hd="*")
    assert anybody.approve()["code"]
    assert anybody.approve("bob@gmail.com")["error"] == "access_denied"


@case
def a_request_without_a_page_requires_a_consent():
    me = person()
    done("POST", "acme/accounts", {"email": me})
    app = acme.but(prompt="none")
    assert arrival(app.page())["error"] == "login_required"
    hinted = app.but(login_hint=me)
    assert arrival(hinted.page())["error"] == "interaction_required"
    acme.approve(me)
    assert arrival(hinted.page())["code"]
    more = hinted.but(scope="openid address")
    assert arrival(more.page())["error"] == "interaction_required"


@case
def redirects_keep_the_query_and_bring_tokens_in_the_fragment():
    arrived = acme.but(response_type="id_token").approve()
    assert arrived["url"].startswith(CALLBACK + "#") and "code" not in arrived
    assert "c_hash" not in acme.claims(arrived["id_token"])
    arrived = acme.but(redirect_uri="com.example.app:/cb?x=1").approve()
    assert arrived["url"].startswith("com.example.app:/cb?x=1&state=st&code="), arrived


@case
def google_shows_the_error_and_does_not_redirect():
    def refused(app, status, error):
        app = app.but(latchkey_account="ada@example.com")
        answer, page = app.page(headers=JSON), app.page()
        failed(answer, status, error)
        assert "Location" not in answer.headers and "Location" not in page.headers
        assert page.status_code == status and f"<code>{error}</code>" in page.text

    for name, values in (
        ("client_id", [None]), ("response_type", [None]), ("scope", [None]),
        ("redirect_uri", [
            None, "/callback", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
            "http://a/#b", "http://", "http://a@b/", "http://a/\r\nX: y"]),
        ("response_mode", ["web_message"]), ("code_challenge_method", ["plain", None]),
        ("code_challenge", ["short", None]), ("nonce", [513 * "n"]),
    ):
        for value in values:
            refused(google.but(**{name: value}), 400, "invalid_request")
    for value in ("a b", "a/b"):
        refused(google.but(client_id=value), 401, "invalid_client")
    for value in ("token", "code code"):
        refused(google.but(response_type=value), 400, "unsupported_response_type")
    twice, _ = idp("GET", google.page().url.split("/_idp/")[1] + "&nonce=n-2", headers=JSON)
    failed(twice, 400, "invalid_request")


@case
def an_openid_provider_redirects_with_the_error():
    for app, error in (
        (acme.but(scope="email"), "invalid_scope"),
        (acme.but(response_type="token"), "unsupported_response_type"),
        (acme.but(code_challenge=CHALLENGE), "invalid_request"),
        (acme.but(response_type="id_token", nonce=None), "invalid_request"),
    ):
        arrived = arrival(app.page())
        assert (arrived["error"], arrived["state"]) == (error, "st"), arrived
        assert arrived["error_description"]


@case
def a_registered_client_can_only_use_its_own_addresses():
    app = google.but(client_id="c", redirect_uri=CALLBACK)
    app.provider = "closed"
    for uri in (CALLBACK + "/", CALLBACK.replace("callback", "Callback"), CALLBACK + "?x"):
        failed(app.but(redirect_uri=uri).page(headers=JSON), 400, "redirect_uri_mismatch")
    assert app.approve()["code"]
    failed(app.but(client_id="nobody").page(headers=JSON), 401, "invalid_client")


@case
def the_token_endpoint_can_fail_once_and_the_code_remains():
    for fault, status, error in (
        ("token-500", 500, "server_error"), ("token-429", 429, "rate_limit_exceeded"),
        ("code-reused", 400, "invalid_grant"), ("code-from-another-client", 400, "invalid_grant"),
        ("pkce-mismatch", 400, "invalid_grant"),
    ):
        code = acme.code()
        done("PUT", "acme/faults", {"name": fault, "count": 1})
        answer = acme.redeem(code)
        failed(answer, status, error)
        assert status != 429 or answer.headers["Retry-After"] == "30"
        assert acme.redeem(code).status_code == 200
    done("PUT", "acme/faults", {"name": "token-html", "count": 1})
    answer = acme.redeem(acme.code())
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html")


@case
def tokens_of_the_token_endpoint_can_have_faults():
    done("PUT", "acme/faults", [
        {"name": name, "count": 1} for name in ("missing-email", "id-token-of-another-person")])
    claims = acme.claims(acme.tokens()["id_token"])
    assert claims["name"] == "Mallory" and "email" not in claims, claims
    done("PUT", "acme/faults", {"name": "id-token-missing", "count": 1})
    assert "id_token" not in acme.tokens()
    assert acme.claims(acme.tokens()["id_token"])["email"] == "ada@example.com"
    assert done("GET", "acme/faults")["on"] == []


run()
