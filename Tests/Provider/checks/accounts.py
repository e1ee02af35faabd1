"""Several accounts in one browser (OpenID Connect Core 3.1.2.1, `select_account`)."""

from browser import Browser
from client import Client, good
from server import main


def _subject(client, request, page):
    """The user to whom a code was issued."""
    tokens = good(client.redeem(request, request.answered(page)["code"]))
    return main().verified(tokens["id_token"], client.id, "JWT")["sub"], tokens


def _two():
    """A browser with two signed-in people, the second of whom is current, and a request to
    choose."""
    first, second = main().account(), main().account()
    browser = Browser(main(), first).sign_in()
    client = Client("own")
    request = client.request(prompt="select_account")
    page = browser.open(request.url)
    assert page.status == 200 and first.email in page.text, page
    form = page.form("account")
    assert form["buttons"] == [("account", first.id), ("account", "another")], form
    browser.user = second
    page = browser.submit(page, form, ("account", "another"))
    assert page.form("password") and "Accounts that are signed in here" in page.text, page
    page = browser.walk(page)
    # Who has just signed in need not choose.
    subject, tokens = _subject(client, request, page)
    assert subject == second.id, page
    return browser, client, first, second, tokens


def _choose(browser, page, account):
    form = page.form("account")
    assert ("account", account.id) in form["buttons"], form
    return browser.submit(page, form, ("account", account.id))


def a_person_chooses_among_accounts():
    """Core 3.1.2.1: each account is shown once, the answer is for the chosen one, and a link
    decides nothing."""
    browser, client, first, second, _ = _two()
    for account in (first, second, second):
        request = client.request(prompt="select_account")
        page = browser.open(request.url)
        ids = [value for _, value in page.form("account")["buttons"]]
        assert sorted(ids) == sorted([first.id, second.id, "another"]), ids
        # A link cannot choose instead of the person.
        for url in (page.url, page.url + f"?account={first.id}"):
            assert browser.open(url).form("account"), url
        assert _subject(client, request, _choose(browser, page, account))[0] == account.id
        silent = client.request(prompt="none")
        assert _subject(client, silent, browser.open(silent.url))[0] == account.id
    page = browser.open(client.request(prompt="select_account").url)
    again = browser.submit(page, page.form("account"), ("account", main().user.id))
    assert again.form("account") and main().user.email not in again.text, again
    form = page.form("account")
    forged = browser.send("POST", page.url, data={"account": first.id, "form": "x"},
                          headers={"Origin": main().origin})
    assert forged.status == 403 and form, forged
    # From the account, nobody is led to a client that has asked before.
    assert second.email in browser.open("/auth/ui/account").text
    page = browser.open("/auth/ui/accounts")
    assert first.email in _choose(browser, page, first).text


def an_account_whose_session_has_ended_signs_in():
    """The page asks for the password of that account, and the request continues."""
    browser, client, first, second, _ = _two()
    answer = main().call("POST", "/auth/signout", token=first.tokens["accessToken"],
                         json={"scope": "all"})
    assert answer.ok, answer.text
    request = client.request(prompt="select_account")
    page = _choose(browser, browser.open(request.url), first)
    assert page.form("password")["fields"]["email"] == first.email, page.forms
    browser.user = first
    assert _subject(client, request, browser.walk(page))[0] == first.id
    page = browser.open(client.request(prompt="select_account").url)
    assert second.email in page.text and first.email in page.text, page


def a_logout_affects_one_account():
    """RP-Initiated Logout 2: the session of the ID token ends, even if it is not the browser's
    current account."""
    browser, client, first, second, tokens = _two()
    page = browser.open(client.request(prompt="select_account").url)
    request = client.request(prompt="none")
    _choose(browser, browser.open("/auth/ui/accounts"), first)
    page = browser.open("/oauth/logout?id_token_hint=" + tokens["id_token"])
    assert page.status == 200 and not page.forms, page
    assert not client.is_alive(tokens), "the grant of the account that waited is alive"
    assert _subject(client, request, browser.open(request.url))[0] == first.id
    assert second.email not in browser.open("/auth/ui/accounts").text


def a_sign_out_affects_every_account():
    """A sign-out ends the sessions of all accounts in the browser."""
    browser, client, first, second, tokens = _two()
    page = browser.open("/auth/ui/account")
    assert second.email in page.text, page
    _choose(browser, browser.open("/auth/ui/accounts"), first)
    page = browser.open("/auth/ui/account")
    browser.submit(page, next(form for form in page.forms if "signout" in form["action"]))
    assert not client.is_alive(tokens), "the account that waited is signed in"
    assert browser.open("/auth/ui/accounts").form("password"), "accounts are still listed"
