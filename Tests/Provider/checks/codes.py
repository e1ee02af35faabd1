"""Codes and PKCE."""

from browser import Browser
from client import Client, at_once, each, good, refused, signed_in
from server import main, of_one_process
from settings import API1, API2, PASSWORD


def a_code_is_bound_to_its_client():
    """B1, T5, T6: another client's code is refused, with its verifier too, and is not used up."""
    owner = Client("post")
    request, code = owner.code()
    for name in ("web", "own", "keyed", "cli"):
        refused(Client(name).redeem(request, code), "invalid_grant")
        refused(Client(name).redeem(request, code, redirect_uri=Client(name).redirect_uri),
                "invalid_grant")
    tokens = good(owner.redeem(request, code))
    assert {"access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"} == (
        set(tokens)), tokens
    request, code = Client("cli").code()
    refused(owner.redeem(request, code), "invalid_grant")
    good(Client("cli").redeem(request, code))


def parallel_redemption_gives_one_set_of_tokens():
    """B2, T2: of 16 parallel requests one gets tokens."""
    client = Client("post")
    request, code = client.code()
    answers = at_once(lambda _: client.redeem(request, code), range(16))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 15
    for answer in answers:
        if answer.status_code != 200:
            refused(answer, "invalid_grant")


def parallel_codes_of_one_browser_all_work():
    """B43, F5: parallel requests of one browser, their codes, and refreshes all succeed."""
    client, browser = Client("web"), signed_in()
    client.code(browser)
    requests = [(client.request(prompt="none"), browser.copy()) for _ in range(16)]
    codes = at_once(lambda pair: (pair[0], pair[0].run(pair[1])["code"]), requests)
    grants = [good(answer) for answer in at_once(lambda pair: client.redeem(*pair), codes)]
    assert all(at_once(client.is_alive, grants))


def a_replay_ends_the_tokens_of_the_code():
    """T3: a second valid use revokes refresh token, access token and their successors."""
    client = Client("post")
    request, code = client.code(scope="openid email")
    tokens = good(client.redeem(request, code))
    newer = good(client.refresh(tokens["refresh_token"]))
    refused(client.redeem(request, code), "invalid_grant")
    assert not client.is_alive(dict(newer)) and not client.is_alive(dict(tokens))
    for token in (tokens["access_token"], newer["access_token"]):
        assert client.introspect(token) == {"active": False}
        assert client.userinfo(token).status_code == 401


def an_invalid_replay_ends_nothing():
    """B4, T3: after a wrong client, verifier or address, or garbage after the prefix, the grant
    lives."""
    client, other = Client("post"), Client("web")
    request, code = client.code()
    tokens = good(client.redeem(request, code))
    middle = len(code) // 2
    changed = code[:middle] + ("A" if code[middle] != "A" else "B") + code[middle + 1:]
    for answer in (
            client.redeem(request, code, code_verifier="x" * 43), other.redeem(request, code),
            client.redeem(request, code, redirect_uri="https://post.example.com/cb?tenant=1"),
            *(client.redeem(request, wrong) for wrong in (
                changed, code[:-8], code + "AAAA", code[:middle], "x", "x" * 5000, "\0", "é"))):
        refused(answer, "invalid_grant")
    assert client.is_alive(tokens)


def a_wrong_request_does_not_use_up_the_code():
    """B14, B39, T1, T4: after a wrong or missing verifier, address or resource the code still
    works."""
    client = Client("post")
    request, code = client.code(resource=API1, scope="a:read")
    each([
        ({"code_verifier": None}, {"invalid_grant", "invalid_request"}),
        ({"code_verifier": ""}, {"invalid_grant", "invalid_request"}),
        ({"code_verifier": request.verifier[:42]}, {"invalid_grant", "invalid_request"}),
        ({"code_verifier": request.verifier + "x"}, {"invalid_grant"}),
        ({"code_verifier": "é" * 50}, {"invalid_grant", "invalid_request"}),
        ({"code_verifier": "x" * 129}, {"invalid_grant", "invalid_request"}),
        ({"code_verifier": request.parameters["code_challenge"]}, {"invalid_grant"}),
        ({"redirect_uri": "https://post.example.com/cb?tenant=1"}, {"invalid_grant"}),
        ({"redirect_uri": "https://post.example.com/cb/"}, {"invalid_grant"}),
        ({"resource": API2}, {"invalid_target"}), ({"resource": "x"}, {"invalid_target"}),
        ({"code": None}, {"invalid_request"}), ({"code": [code, code]}, {"invalid_request"}),
    ], lambda changes, errors: refused(client.redeem(request, code, **changes), *errors))
    assert good(client.redeem(request, code, redirect_uri=None))["access_token"]


@of_one_process
def a_code_is_valid_for_a_minute():
    """T1: a code works for a minute and no longer."""
    client = Client("post")
    for seconds, works in ((45, True), (61, False), (700, False)):
        user = main().account()
        request, code = client.code(Browser(main(), user).sign_in())
        main().age(f"USER#{user.id}LINK#OAUTHCODE", seconds)
        answer = client.redeem(request, code)
        assert answer.ok if works else refused(answer, "invalid_grant"), (seconds, answer.text)


def answers_are_not_cached():
    """G7, P2: the redirect with a code is `no-store`, and two codes differ."""
    browser = signed_in()
    Client("web").code(browser)
    pages = [browser.open(Client("web").request(prompt="none").url) for _ in range(2)]
    assert len({page.answer["code"] for page in pages}) == 2
    assert all("no-store" in page.headers["Cache-Control"] for page in pages), pages[0].headers
    assert PASSWORD not in "".join(main().log)
    assert not any(page.answer["code"] in "".join(main().log) for page in pages)
