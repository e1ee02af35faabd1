"""Applications with access."""

from browser import Browser
from client import Client, good, refused
from server import main


def a_user_ends_the_access_of_an_application():
    """K8: the page, JSON, export and mail name it; removing it ends grants and consent."""
    here, client = main(), Client("web")
    for way in ("json", "page"):
        user = here.account()
        token = user.tokens["accessToken"]
        assert "web" not in here.call("GET", "/auth/applications", token=token).text
        browser = Browser(here, user).sign_in()
        tokens, other = client.grant(browser), Client("post").grant(browser)
        found = here.call("GET", "/auth/applications", token=token)
        assert '"web"' in found.text and client.members["client_name"] in found.text, found.text
        assert '"web"' in here.call("GET", "/auth/export", token=token).text
        page = browser.open("/auth/ui/applications")
        assert client.members["client_name"] in page.text, page
        if way == "json":
            for wrong in (None, tokens["access_token"]):
                answer = here.call("DELETE", "/auth/applications/web", token=wrong)
                assert answer.status_code in (401, 403), answer.text
            answer = here.call("DELETE", "/auth/applications/web", token=token)
            assert answer.status_code in (200, 204), answer.text
        else:
            form = next(form for form in page.forms if "web" in str(form))
            page = browser.submit(page, form, *form["buttons"][:1])
            assert page.status == 200, page
        assert client.members["client_name"] not in browser.open("/auth/ui/applications").text
        assert not client.is_alive(tokens) and Client("post").is_alive(other), way
        assert client.userinfo(tokens["access_token"]).status_code == 401
        browser.consents = 0
        client.code(browser)
        assert browser.consents == 1, "the consent is still remembered"
        assert here.call("GET", "/auth/me", token=token).ok


def a_code_ends_with_the_access():
    """K8: an unused code gives nothing after the user has removed the application."""
    here, client, user = main(), Client("web"), main().account()
    browser = Browser(here, user).sign_in()
    request, code = client.code(browser)
    answer = here.call(
        "DELETE", "/auth/applications/web", token=user.tokens["accessToken"])
    assert answer.status_code in (200, 204), answer.text
    refused(client.redeem(request, code), "invalid_grant")
    good(client.redeem(*client.code(browser)))


def a_mail_reports_a_new_application():
    """K8: a mail tells the user which application has access."""
    here, user = main(), main().account()
    Client("web").grant(Browser(here, user).sign_in())
    assert here.mailed(user.email, Client("web").members["client_name"])


def administrators_see_the_applications_of_a_user():
    """K8: the administrator's page about a user lists their applications."""
    here, user, client = main(), main().account(), Client("web")
    path = f"{here.issuer}/admin/ui/users/{user.id}"
    name = client.members["client_name"]
    assert name not in here.call("GET", path, headers=here.administrator).text
    client.grant(Browser(here, user).sign_in())
    answer = here.call("GET", path, headers=here.administrator)
    assert answer.ok and name in answer.text, answer.text
