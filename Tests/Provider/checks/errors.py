"""Errors of the endpoints of programs."""

from client import Client, each, refused
from server import main, of_one_process

FORM = "application/x-www-form-urlencoded"
PATHS = ("token", "revoke", "introspect")


def programs_get_standard_errors():
    """B38, B40, E2, G3, G6, G7: method, content type, size, repetition."""
    headers, _ = Client("web").authentication()
    rows = [
        ("json", {"json": {"grant_type": "refresh_token"}}), ("no type", {"data": b"grant_type=x"}),
        ("list", {"data": b"grant_type=x", "headers": {"Content-Type": f"{FORM}, {FORM}"}}),
        ("text", {"data": b"grant_type=x", "headers": {"Content-Type": "text/plain"}}),
        ("multipart", {"files": {"grant_type": "x"}}), ("empty", {"data": b""}),
        ("twice", {"data": [("token", "x"), ("token", "x"), ("grant_type", "x"),
                            ("grant_type", "x")]}),
        ("many", {"data": [(f"x{index}", "y") for index in range(2000)]}),
        ("big", {"data": {"token": "x" * 70_000, "grant_type": "x"}}),
    ]

    def check(path, name, more):
        more = more | {"headers": headers | more.get("headers", {})}
        answer = main().call("POST", f"/oauth/{path}", **more)
        assert answer.status_code in (400, 413, 415), (answer.status_code, answer.text)
        refused(answer, "invalid_request", "unsupported_grant_type", status=answer.status_code)
    each([(path, *row) for path in PATHS for row in rows], check)


def the_content_type_may_have_parameters_and_capitals():
    """E2, B38: `charset`, case and empty parameters of the content type are accepted."""
    headers, _ = Client("web").authentication()
    for kind in (f"{FORM};charset=UTF-8", FORM.upper(), f"{FORM}; charset=utf-8;"):
        answer = main().call("POST", "/oauth/token", headers=headers | {"Content-Type": kind},
                             data=b"grant_type=refresh_token&refresh_token=x&scope=&unknown=1")
        refused(answer, "invalid_grant")


@of_one_process
def other_methods_are_405():
    """E2, E4, E7, E8: for example a GET of an endpoint for programs."""
    for path in (*PATHS, "register", "device_authorization"):
        for method in ("GET", "PUT", "DELETE"):
            answer = main().call(method, f"/oauth/{path}?grant_type=x")
            assert answer.status_code == 405 and "POST" in answer.headers["Allow"], (
                path, method, answer.status_code, answer.headers)
            assert method != "GET" or answer.json()["error"], answer.text


def tokens_and_codes_are_not_logged():
    """G7: no code, token, secret or redirect of a request is in the log."""
    client = Client("post")
    request, code = client.code(scope="openid email")
    tokens = client.redeem(request, code).json()
    tokens |= client.refresh(tokens["refresh_token"]).json()
    client.introspect(tokens["access_token"])
    client.userinfo(tokens["access_token"])
    log = "".join(main().log)
    for text in (code, tokens["refresh_token"], tokens["access_token"], tokens["id_token"],
                 client.secret, request.verifier, request.parameters["state"]):
        assert text not in log, text
