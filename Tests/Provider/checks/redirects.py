"""Redirect URIs."""

import urllib.parse

from client import Client, each
from server import main
from settings import secret

WEB, LOOPBACK = "https://web.example.com/cb", "http://127.0.0.1:57470/callback"
GOOD = [("web", WEB), ("post", "https://post.example.com/cb?tenant=1"),
        ("native", "com.example.app:/cb")] + [("cli", uri) for uri in [
            LOOPBACK, "http://localhost:57470/callback", "http://[::1]:1/callback",
            "http://127.0.0.1/callback", "http://localhost/callback"]]
BAD = [("web", uri) for uri in [
    None, "", *(WEB + more for more in (
        "/", "?x=1", "#f", "%00", "\\@evil.example", "/../evil")), " " + WEB,
    *(WEB.replace("/cb", path) for path in (
        "/%63b", ":443/cb", "@evil.example/cb", ".evil.example/cb", "/..;/cb", "//cb")),
    WEB.replace("https", "http"), WEB.replace("web", "WEB"), WEB.replace("https:", ""),
    "https://evil.example/cb", "https:example.com", "javascript:alert(1)", "JaVaScRiPt:alert(1)",
    "data:text/html,x", "com.example.app:/cb", "https://evil.example/?" + WEB,
]] + [("cli", uri) for uri in [
    *(LOOPBACK + more for more in ("?bar=foo", "/", "2", "#f")),
    LOOPBACK.replace("http:", "https:"), *(LOOPBACK.replace("127.0.0.1", host) for host in (
        "127.0.0.2", "127.1", "0.0.0.0", "2130706433", "[::ffff:127.0.0.1]", "user@127.0.0.1",
        "evil.example")),
    *(f"http://{authority}/callback" for authority in (
        "127.0.0.1.evil.example", "localhost.evil.example", "localhost@evil.example",
        "127.0.0.1:1@evil.example", "localhost:1\\@evil.example", "127.0.0.1:99999",
        "127.0.0.1:1:2", "127.0.0.1:")),
    *(f"http://127.0.0.1:9/{path}" for path in ("", "%63allback", "x/../callback")),
]] + [("native", f"com.example.app:{path}") for path in ("//cb", "/cb2", "")] + [
    ("post", None), ("post", "https://post.example.com/cb?tenant=2"), ("rs1", WEB)]


def registered_redirect_uris_are_accepted():
    """B12, B13, U1, U2, U3, U4, P4: a registered URI, or a loopback URI with any port."""
    def check(name, uri):
        request = Client(name).request(redirect_uri=uri, prompt="none")
        answer = main().call("GET", request.url)
        assert answer.status_code in (302, 303), (answer.status_code, answer.text)
        location = answer.headers["Location"]
        assert location.startswith(uri + ("&" if "?" in uri else "?")), location
        found = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
        assert found["error"] == ["login_required"] and found["iss"] == [main().issuer], found
    each(GOOD, check)


def other_redirect_uris_get_a_page_without_redirect():
    """B5, B6, B8, B9, B10, B11, U5, U6, U7, U9: an error page, whatever else is wrong."""
    others = [{}, {"prompt": "none"}, {"response_type": "token", "scope": "nonsense"},
              {"code_challenge": None, "resource": "x", "request": "y"}, {"response_mode": "z"}]

    def check(name, uri):
        # OAuth alone lets a client with one URI leave it out.
        for changes in others[:2] if name == "web" and not uri else others:
            request = Client(name).request(**changes | {"redirect_uri": uri})
            answer = main().call("GET", request.url)
            assert answer.status_code == 400 and "Location" not in answer.headers, (
                changes, answer.status_code, answer.headers.get("Location"))
            assert answer.headers["Content-Type"].startswith("text/html"), answer.headers
            assert "evil.example/" not in answer.text.replace("&#x2F;", "/").split("href=")[-1]
    each(BAD, check)


def unknown_clients_and_repeated_parameters_get_a_page():
    """B6, G3, U9: an unknown or repeated client or redirect URI is a page."""
    rows = [{"client_id": None}, {"client_id": ""}, {"client_id": "nobody"}, {"client_id": "WEB"},
            {"client_id": "web\0"}, {"client_id": ["web", "web"]}, {"redirect_uri": [WEB, WEB]},
            {"client_id": "https://unlisted.example/client"}, {"client_id": "<b>x"},
            {"redirect_uri": WEB + "<b>x"}]

    def check(changes):
        answer = main().call("GET", Client("web").request(**changes).url)
        assert answer.status_code == 400 and "Location" not in answer.headers, answer.headers
        assert "<b>x" not in answer.text, answer.text
    each(rows, check)


def bad_redirect_uris_cannot_be_registered():
    """B7, U4, U5, U6: neither by the operator nor by a client."""
    rows = [
        " javascript:alert(1)", "JAVASCRIPT:alert(1)", "java\tscript:alert(1)", "vbscript:x",
        "data:text/html,x", "blob:https://a.example/x", "file:///etc/passwd", "about:blank",
        "cb:/x", "mailto:a@b.example", "http://a.example/cb", "/cb", "", "https:a", "x\x01:/cb",
        "http://127.0.0.1.evil.example/cb", "http://0.0.0.0/cb", "https://u@a.example/cb",
        "https://*.example/cb", *(f"https://a.example{path}" for path in (
            "/cb#x", "\\cb", "/..;/cb", "/%2e%2e/cb", "/c b"))]

    def check(uri):
        answer = main().call("POST", "/oauth/register", token=secret("registration"), json={
            "client_name": "x", "redirect_uris": [uri], "token_endpoint_auth_method": "none",
            "application_type": "native"})
        assert answer.status_code == 400, (answer.status_code, answer.text)
    each(rows, check)
