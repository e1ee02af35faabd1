"""Dynamic registration."""

import json

import server
from browser import Browser
from client import Client, each, refused, shown, signed_in
from server import main, of_one_process
from settings import public_key, secret

APP = {"client_name": "New App", "redirect_uris": ["http://127.0.0.1/callback"],
       "token_endpoint_auth_method": "none",
       "grant_types": ["authorization_code", "refresh_token"]}


def _register(members, token=secret("registration"), **more):
    return main().call("POST", "/oauth/register", json=members, token=token, **more)


def _refused(members, *errors):
    refused(_register(members), *(errors or ("invalid_client_metadata",)))


def a_registered_app_works():
    """B46, K3, N1, N2, N4: 201 with the effective metadata; the user is asked each time; a second
    registration has another ID."""
    answer = _register(APP | {"unknown": "x", "software_id": "s"})
    assert answer.status_code == 201 and "no-store" in answer.headers["Cache-Control"], answer.text
    made = answer.json()
    assert made["client_id"].startswith("lkc_") and made["client_id_issued_at"] > 1_700_000_000
    assert made.items() >= APP.items() and made["response_types"] == ["code"], made
    assert not made.keys() & {"client_secret", "unknown"} and "openid" in made["scope"], made
    client, browser = Client(made), Browser(main(), main().account()).sign_in()
    tokens, other = client.grant(browser, scope="openid a:read"), client.grant(browser)
    assert browser.consents == 2 and client.is_alive(tokens) and client.is_alive(other)
    again = Client(_register(APP).json())
    assert again.id != client.id
    refused(again.refresh(tokens["refresh_token"]), "invalid_grant")
    assert main().metadata["registration_endpoint"] == main().issuer + "/oauth/register"


def a_registration_needs_the_token():
    """E9, N3, N6, N9, M4: without it 401; if registration is off, as by default, the route does not
    exist."""
    for token in ("x", "", secret("other"), main().user.tokens["accessToken"]):
        answer = _register(APP, token)
        refused(answer, "invalid_token", status=401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer"), answer.headers
    answer = main().call("POST", "/oauth/register", json=APP)
    assert answer.status_code == 401 and answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "registration_endpoint" not in server.bare().metadata
    assert server.bare().call("POST", "/oauth/register", json=APP).status_code in (401, 403, 404)


def open_registrations_are_limited():
    """B46, N6, N7: one address can register a few clients, and then gets 429 for a while."""
    here = server.Server("/id", {"OAUTH": "on", "OAUTH_REGISTRATION": "open"})
    answers = [here.call("POST", "/oauth/register", json=APP) for _ in range(60)]
    first = [answer.status_code for answer in answers].index(429)
    assert 2 <= first and int(answers[first].headers["Retry-After"]) > 0, shown(answers[first])
    assert {answer.status_code for answer in answers[:first]} == {201}
    answer = here.call("POST", "/oauth/token", data={"client_id": answers[0].json()["client_id"],
                                                     "grant_type": "refresh_token"})
    refused(answer, "invalid_request")


def a_confidential_client_has_a_secret():
    """B53, N2, N6: a secret that does not expire, or a refusal; a secret only for a client that
    wants one."""
    members = {"client_name": "Shop", "redirect_uris": ["https://new.example.com/cb"]}
    for method in ("client_secret_basic", "client_secret_post", None):
        answer = _register(members | ({"token_endpoint_auth_method": method} if method else {}))
        if answer.status_code == 400:
            refused(answer, "invalid_client_metadata")
            continue
        made = answer.json()
        assert made["token_endpoint_auth_method"] == method or not method, made
        if made["token_endpoint_auth_method"] != "none":
            assert len(made["client_secret"]) >= 32 and made["client_secret_expires_at"] == 0, made
        assert Client(made).grant()["access_token"]


def privileged_metadata_has_no_effect():
    """B52, B53, N6, C2: it is ignored or refused; the user is asked, and our API is not
    accessible."""
    for more in ({"first_party": True}, {"skip_consent": True}, {"client_id": "web"},
                 {"resource": "https://api1.example/"}, {"require_consent": False},
                 {"allowed_resources": ["latchkey"]}, {"scope": "openid admin"},
                 {"client_secret": "x" * 64}):
        answer = _register(APP | more)
        if answer.status_code == 400:
            continue
        made = answer.json()
        assert made["client_id"].startswith("lkc_") and "client_secret" not in made, made
        assert not made.keys() & (more.keys() - {"client_id", "scope"}), made
        assert "admin" not in made["scope"].split(), made
        browser = Browser(main(), main().user).sign_in()
        tokens = Client(made).grant(browser)
        assert browser.consents == 1, more
        assert main().call("GET", "/auth/me", token=tokens["access_token"]).status_code == 401


def bad_metadata_is_refused_with_its_error():
    """B7, B46, N3, N5, N7, U4, U5, U6: with the errors of RFC 7591; large bodies too."""
    each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:x", "data:text/html,x",
          "http://a.example/cb", "https://a.example/cb#x", "https://u@a.example/cb", "cb:/x", "",
          "/cb", "https://a.example/..;/cb", "http://127.0.0.1.evil.example/cb", "file:///x",
          "https://*.a.example/cb", "https://a.example/%2e%2e/cb", "http://0.0.0.0/cb"],
         lambda uri: _refused(APP | {"redirect_uris": [uri]}, "invalid_redirect_uri"))
    each([({"redirect_uris": []},), ({"redirect_uris": "http://127.0.0.1/callback"},),
          ({"redirect_uris": [1]},), ({"redirect_uris": None},)],
         lambda more: _refused(APP | more, "invalid_redirect_uri", "invalid_client_metadata"))
    keyed, keys = {"token_endpoint_auth_method": "private_key_jwt"}, {"keys": [public_key("ES256")]}
    each([({"grant_types": ["password"]},), ({"grant_types": ["implicit"]},),
          ({"token_endpoint_auth_method": "x"},), ({"client_uri": "http://a.example/"},),
          ({"client_uri": "javascript:alert(1)"},), ({"client_name": "x" * 101},),
          ({"id_token_signed_response_alg": "none"},),
          ({"client_name": "a\u202eb\x00"},), (keyed,), (keyed | {"jwks": {"keys": []}},),
          (keyed | {"jwks_uri": "http://a.example/"},),
          (keyed | {"jwks": keys, "jwks_uri": "https://a.example/"},)],
         lambda more: _refused(APP | more))
    for more in ({"data": b"{"}, {"data": b"[]"}, {"data": b""},
                 {"json": APP | {"padding": "x" * 100_000}}):
        answer = main().call("POST", "/oauth/register", token=secret("registration"), **{
            "headers": {"Content-Type": "application/json"}} | more)
        refused(answer, "invalid_client_metadata", "invalid_redirect_uri", "invalid_request",
                status=answer.status_code)
        assert answer.status_code in (400, 413), answer.text


def large_descriptions_are_refused():
    """B46, N5: those of more than 16 KiB, however large."""
    def padded(size):
        return APP | {"padding": "x" * (size - len(json.dumps(APP | {"padding": ""})))}
    assert _register(padded(16_384)).status_code == 201
    for size in (16_385, 60_000, 70_000, 1_000_000):
        _refused(padded(size))


def informational_addresses_are_not_shown():
    """N4, N5, Q11: `logo_uri` and similar members are not stored, fetched or shown."""
    client = Client(_register(APP | {name: "javascript:alert(1)" for name in (
        "logo_uri", "tos_uri", "policy_uri")}).json())
    assert not client.members.keys() & {"logo_uri", "tos_uri", "policy_uri"}, client.members
    browser = Browser(main(), main().user).sign_in()
    page = browser.walk(browser.open(client.request().url), None)
    assert page.form("decision") and "<img" not in page.source, page
    assert "javascript:" not in page.source, page.source


@of_one_process
def an_unused_registration_is_deleted():
    """B46, F8, N7: a month after its last use; its grants end with it."""
    here, day = main(), 86_400
    user = here.account()
    client, unused = Client(_register(APP).json()), Client(_register(APP).json())
    tokens = client.grant(Browser(here, user).sign_in(), scope="openid offline_access")
    here.age("CLIENT#", 20 * day)
    assert client.is_alive(tokens)
    here.age("CLIENT#", 20 * day)
    assert client.is_alive(tokens), "a refresh is a use"
    assert here.call("GET", unused.request().url).status_code == 400
    refused(unused.refresh("x"), "invalid_client", status=401)
    here.age("CLIENT#", 31 * day)
    refused(client.refresh(tokens["refresh_token"]), "invalid_client", status=401)


def errors_before_a_sign_in_are_pages():
    """R1, U9: an invalid request of a self-registered client ends on a page before sign-in."""
    client = Client(_register(APP).json())
    for wrong in ({"response_type": "token"}, {"scope": "nonsense"}, {"resource": "x"},
                  {"code_challenge": None}, {"prompt": "none login"}):
        request = client.request(**wrong)
        page = Browser(main()).open(request.url)
        assert page.left is None and page.status == 400, page
        assert signed_in().open(request.url).answer["error"], wrong
    page = Browser(main()).open(client.request(scope="<b>nonsense").url)
    assert "The scope &lt;b&gt;nonsense is unknown" in page.source, page.source


def a_client_can_request_only_its_scope():
    """C8, R1: scopes that it has not registered are dropped, or refused in plain OAuth."""
    client = Client(_register(APP | {"scope": "openid a:read"}).json())
    assert client.members["scope"] == "openid a:read", client.members
    tokens = client.grant(scope="openid email a:read a:write")
    assert set(tokens["scope"].split()) <= {"openid", "a:read"}, tokens
    info = client.userinfo(client.grant(scope="openid email")["access_token"]).json()
    assert info.keys() == {"sub"}, info
    answer = signed_in().open(client.request(scope="a:read a:write").url).answer
    assert answer["error"] == "invalid_scope", answer


def a_name_is_escaped_everywhere():
    """K2, N5: markup in a name is text on the pages, for administrators, and in the mail."""
    here, user, name = main(), main().account(), "<b>Bank</b>&amp;"
    client, browser = Client(_register(APP | {"client_name": name}).json()), Browser(main(), user)
    client.grant(browser.sign_in())
    page = browser.walk(browser.open(client.request().url), None)
    sources = [page.source, browser.open("/auth/ui/applications").source, here.call(
        "GET", f"{here.issuer}/admin/ui/users/{user.id}", headers=here.administrator).text,
        here.mailed(user.email, r"(?s)<html.*&lt;b&gt;Bank.*")]
    for source in sources:
        assert "<b>Bank" not in source and "&lt;b&gt;Bank&lt;/b&gt;&amp;amp;" in source, source
