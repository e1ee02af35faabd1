"""The pages of a server under names that are not its own: another site points its name at the
server's address (DNS rebinding), so that browsers take the site's pages for the server's. LATCHKEY
is the executable."""

import http.client
import json
import re

from judge import case, run
from page_browser import REBOUND, browser
from store_server import ADMIN_PASSWORD, PASSWORD, server

EMAIL = "ada@example.com"
PAGES = ["/auth/ui/signin", "/auth/ui/account", "/admin/ui", "/auth/admin/login"]
# Requests of a page of the other site.
SEND = """async ([path, form]) => {
    const answer = await fetch(path, form && {method: "POST", body: new URLSearchParams(form)});
    return [answer.status, new URL(answer.url).pathname, await answer.text()];
}"""


def ask(where, host, path, form=None, **headers):
    """Status, headers and text, with any header Host."""
    connection = http.client.HTTPConnection("127.0.0.1", where.port)
    try:
        method = "GET" if form is None else "POST"
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, form, {"Host": host, **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


@case
def pages_are_refused_under_a_name_of_another_site():
    for host in (REBOUND, f"{REBOUND}:{where.port}", f"{REBOUND.upper()}.",
                 "localhost.evil.example", "127.0.0.1.evil.example", "evil.localhost.example"):
        for path in PAGES:
            status, headers, text = ask(where, host, path)
            assert status == 403, (host, path, status)
            assert "admin_session" not in str(headers) and "<form" not in text, (host, path)
        origin = f"http://{host}"
        for path, form in [("/auth/admin/login", f"password={ADMIN_PASSWORD}"),
                           ("/auth/ui/signin", f"email={EMAIL}&password={PASSWORD}")]:
            status, headers, _ = ask(where, host, path, form, Origin=origin)
            assert status == 403 and not headers["Location"], (host, path, status)
        status, *_ = ask(
            where, host, "/auth/admin/login", json.dumps({"password": ADMIN_PASSWORD}))
        assert status in (403, 415), status


@case
def pages_are_shown_under_names_that_no_site_can_have():
    port = where.port
    for host in (f"localhost:{port}", "127.0.0.1", "[::1]", "10.1.2.3", "latchkey",
                 "latchkey:8000", "auth.default.svc.cluster.local", "nas.home.arpa"):
        status, _, text = ask(where, host, "/auth/ui/signin")
        assert status == 200 and "<form" in text, (host, status)


@case
def programs_may_use_any_name():
    for path, status in [("/.well-known/jwks.json", 200), ("/auth/me", 401), ("/_/health", 200)]:
        assert ask(where, REBOUND, path)[0] == status, path


@case
def another_origin_is_refused_under_the_servers_own_name():
    for headers in ({"Origin": f"http://{REBOUND}:{where.port}"}, {"Origin": "null"}, {},
                    {"Sec-Fetch-Site": "cross-site", "Origin": where.url},
                    {"Sec-Fetch-Site": "same-site", "Origin": where.url}):
        status, headers, _ = ask(
            where, f"localhost:{where.port}", "/auth/admin/login", f"password={ADMIN_PASSWORD}",
            **headers)
        assert status == 403 and not headers["Set-Cookie"], (status, headers)


@case
def a_page_of_a_rebound_name_gets_nothing_in_the_browser_of_a_signed_in_administrator():
    where.registered(EMAIL)
    site = f"http://{REBOUND}:{where.port}"
    with browser(to=[where.url, site]) as page:
        page.goto(f"{where.url}/auth/ui/signin")
        page.fill("[name=email]", EMAIL)
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/account")
        page.goto(f"{where.url}/auth/admin/login?next=/admin/ui")
        page.fill("[name=password]", ADMIN_PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{where.url}/admin/ui")

        other = page.context.new_page()
        other.goto(f"{site}/.well-known/jwks.json")
        assert other.evaluate("location.origin") == site
        assert not page.context.cookies(site), page.context.cookies(site)
        for path in PAGES:
            status, _, text = other.evaluate(SEND, [path, None])
            assert status == 403 and EMAIL not in text, (path, status)
        for path, form in [
            ("/auth/admin/login", {"password": ADMIN_PASSWORD}),
            ("/auth/ui/signin", {"email": EMAIL, "password": PASSWORD, "form": "x"}),
            ("/auth/ui/sign-out", {"form": "x"}), ("/auth/admin/logout", {}),
        ]:
            status, _, text = other.evaluate(SEND, [path, form])
            assert status in (403, 404), (path, status, text)
        names = {cookie["name"] for cookie in page.context.cookies(site)}
        assert names <= {"latchkey-form"}, names
        # The administrator sees that it is refused, and is still signed in.
        other.goto(f"{site}/auth/ui/signin")
        assert re.search("have another address", other.text_content("main"))
        page.goto(f"{where.url}/admin/ui")
        page.wait_for_selector(f"main :text('{EMAIL}')")


with server() as where:
    run()
