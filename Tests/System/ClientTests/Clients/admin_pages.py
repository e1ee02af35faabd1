"""The administrator's pages in Chromium, with few users and with 30,000, of whom one has 10,000
audit events; and two administrators at once. With SCREENSHOTS, a folder, it keeps pictures."""

import concurrent.futures
import contextlib
import html
import re
import urllib.parse

from accessibility import COLOURS, check_axe
from judge import case, run
from page_browser import browser, check_page, picture
from page_steps import HOSTILE
from store_server import ADMIN_PASSWORD, PASSWORD, server

USERS, EVENTS = 30_000, 10_000
FEW_USERS, FEW_EVENTS = 130, 170
UI = "/admin/ui"

stack = contextlib.ExitStack()
few, many = stack.enter_context(server()), stack.enter_context(server())


def prepared(where, users, events):
    """Fills a server; returns the id of the user with the events."""
    user = where.registered("ada@example.com")["user"]["id"]
    where.replace_events(user, events)
    where.fill(users)
    return user


ada = {few: prepared(few, FEW_USERS, FEW_EVENTS), many: prepared(many, USERS, EVENTS)}
administrators = {where: where.administrator() for where in (few, many)}


def shown(where, path):
    status, text, _ = administrators[where].send(path)
    assert status == 200, (path, status, text)
    return text


def walked(where, path, pattern):
    """Matches on the page and all older ones, whose events are genuine."""
    found, place = [], path
    while place:
        text = shown(where, place)
        assert "tampered" not in text, re.search("tampered[^<]*", text)[0]
        found += re.findall(pattern, text)
        after = older(text)
        place = after and path + after
    return found


def units(text):
    return int(re.search(r'data-read-units="(\d+)"', text)[1])


def older(text):
    """The path of the link to older rows; None on the last page."""
    found = re.search(r'href="[^"]*\?after=([^"]+)">Older', text)
    return found and "?after=" + html.unescape(found[1])


@contextlib.contextmanager
def signed_in(where, **settings):
    """A browser with the administrator's password."""
    with browser(to=[where.url], **settings) as page:
        page.goto(where.url + UI)
        page.fill("[name=password]", ADMIN_PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{UI}")
        yield page


def act(page, action, reason="because"):
    """Opens an action and submits it."""
    opener = page.locator(f".acts>button:text-is('{action}')")
    opener.click()
    part = page.locator("#" + opener.get_attribute("popovertarget"))
    part.locator("[name=reason]").fill(reason)
    password = part.locator("[name=password]")
    if password.count():
        password.fill(ADMIN_PASSWORD)
    part.locator("form button").click()


@case
def every_page_reads_the_same_with_many_users_and_events():
    def pages(where):
        first = shown(where, UI)
        user = shown(where, f"{UI}/users/{ada[where]}")
        yield "list", first
        yield "older", shown(where, UI + older(first))
        yield "address", shown(where, f"{UI}?q=ada%40example.com")
        yield "id", shown(where, f"{UI}?q={ada[where]}")
        yield "unknown", shown(where, f"{UI}?q=nobody%40example.com")
        yield "timeline", user
        yield "older events", shown(where, f"{UI}/users/{ada[where]}" + older(user))
        yield "system", shown(where, f"{UI}/system")

    read = {where: {name: units(text) for name, text in pages(where)} for where in (few, many)}
    # The second page of few users is not full.
    for name in read[few].keys() - {"older"}:
        assert read[many][name] == read[few][name], (name, read[few], read[many])
    assert read[many]["older"] == read[many]["list"], read[many]


@case
def all_users_and_all_events_are_found():
    events = walked(many, f"{UI}/users/{ada[many]}", 'title="verified"')
    assert len(events) >= EVENTS, len(events)
    # Two of the 300 pages of the list, on which Ada is, too.
    first = shown(many, UI)
    second = shown(many, UI + older(first))
    assert len(re.findall('/users/[0-9a-f-]{36}"', first)) == 100
    assert len(set(re.findall(r"user\d+@example.com", first + second))) == 199
    oldest = shown(many, f"{UI}?q=user0%40example.com")
    assert "user0@example.com</a>" in oldest


@case
def an_administrator_finds_a_user_among_many_and_pages_through():
    with signed_in(many) as page:
        picture(page, "users", "many")
        page.click("text=Older")
        page.wait_for_url("**?after=*")
        page.click("text=Newest")
        page.fill("[name=q]", "ada@example.com")
        page.click("text=Find")
        page.click("text=ada@example.com")
        page.wait_for_url(f"**/users/{ada[many]}")
        assert "none of these is missing" in page.text_content("main")
        picture(page, "timeline", "many")
        for _ in range(2):
            page.click("text=Older events")
            page.wait_for_url("**?after=*")
        assert "tampered" not in page.text_content("main")


@case
def two_administrators_act_on_one_user_at_once():
    user = few.registered("eve@example.com")["user"]["id"]
    path = f"{UI}/users/{user}"
    clients = [few.administrator(), few.administrator()]
    forms = [client.form_of(path) for client in clients]
    done = []

    def submit(index, action):
        status, text, location = clients[index].send(f"{path}/{action}", form={
            "form": forms[index], "reason": f"by {index}", "password": ADMIN_PASSWORD})
        assert status in (303, 404, 409), (status, text)
        if status == 303:
            done.append(action)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            for actions in ("disable", "signout"), ("enable", "signout"), ("signout", "signout"):
                list(pool.map(submit, (0, 1), actions))
        recorded = walked(few, path, "Reason: by [01]")
        assert len(recorded) == len(done), (len(recorded), len(done))
        # Both delete: one of them does.
        before = len(done)
        list(pool.map(submit, (0, 1), ("delete", "delete")))
        assert done[before:] == ["delete"], done[before:]


@case
def an_action_on_a_page_that_is_out_of_date_is_answered_plainly():
    user = few.registered("grace@example.com")["user"]["id"]
    path = f"{few.url}{UI}/users/{user}"
    with signed_in(few) as page, signed_in(few) as other:
        for each in (page, other):
            each.goto(path)
        act(page, "Disable", "first")
        page.wait_for_url("**?notice=*")
        act(other, "Disable", "second")
        other.wait_for_load_state()
        picture(other, "out-of-date", "disabled")
        found = other.text_content("main")
        assert "The user is disabled" in found and "Reason: second" not in found, found
        act(page, "Delete", "gone")
        page.wait_for_url(f"**{UI}?notice=deleted&*")
        other.goto(path)
        assert other.query_selector("[role=alert]"), other.text_content("main")
        other.click("text=Back")
        other.wait_for_url(f"**{UI}")


@case
def escape_closes_a_dialog_and_leads_back_to_its_button():
    with signed_in(few) as page:
        page.goto(f"{few.url}{UI}/users/{ada[few]}")
        opener = page.locator(".acts>button:text-is('Disable')")
        opener.click()
        dialog = page.locator("#" + opener.get_attribute("popovertarget"))
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("by mistake")
        assert dialog.locator("[name=reason]").input_value() == "by mistake"
        page.keyboard.press("Escape")
        assert not dialog.is_visible()
        assert opener.evaluate("button => button === document.activeElement")


@case
def hostile_text_stays_text():
    session = few.registered("mallory@example.com", HOSTILE, agent=HOSTILE)
    user = session["user"]["id"]
    with signed_in(few) as page:
        path = f"{few.url}{UI}/users/{user}"
        page.goto(path)
        assert HOSTILE in page.text_content("main")
        act(page, "Sign out everywhere", HOSTILE)
        page.wait_for_url("**?notice=*")
        assert f"Reason: {HOSTILE}" in page.text_content("main")
        hostile = urllib.parse.quote(HOSTILE)
        for place in (path, f"{path}?notice={hostile}", f"{path}?after={hostile}",
                      f"{few.url}{UI}?q={hostile}", f"{few.url}{UI}?after={hostile}",
                      f"{few.url}{UI}/users/{hostile}", f"{few.url}{UI}/system",
                      f"{few.url}/auth/admin/login?next={hostile}"):
            page.goto(place)
            assert "hacked" not in page.title() and not page.query_selector("img"), place


SHOWN = [UI, f"{UI}?q=nobody", f"{UI}/users/{{}}", f"{UI}/system", "/auth/admin/login"]


@case
def every_page_is_accessible_and_fits_a_small_screen():
    for settings in [
        {"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"},
        # The width of a 640-pixel window at 200 %.
        {"reduced_motion": "reduce", "device_scale_factor": 2},
    ]:
        size = {"width": 320, "height": 256 if "device_scale_factor" in settings else 640}
        with signed_in(few, viewport=size, bypass_csp=True, **settings) as page:
            for number, path in enumerate(SHOWN):
                page.goto(few.url + path.format(ada[few]))
                page.evaluate(
                    "document.querySelectorAll('details').forEach((part) => part.open = true);"
                    "document.querySelector('[popover]')?.showPopover()")
                name = f"admin-{number}"
                picture(page, name, "-".join(map(str, settings.values())))
                check_page(page, name, asks_for_own_data=False)
                if "color_scheme" in settings:
                    check_axe(page, name, None if "light" in settings.values() else COLOURS)


@case
def a_user_with_a_role_uses_the_pages_without_scripts():
    session = few.registered("boss@example.com")
    path = f"{UI}/users/{session['user']['id']}"
    form = administrators[few].form_of(path)
    status, text, _ = administrators[few].send(
        f"{path}/role",
        form={
            "form": form, "role": "support", "reason": "on call", "password": ADMIN_PASSWORD})
    assert status == 303, text
    with browser(to=[few.url], java_script_enabled=False) as page:
        page.goto(f"{few.url}/auth/ui/signin")
        page.fill("[name=email]", "boss@example.com")
        page.fill("[name=password]", PASSWORD)
        page.click("button.main")
        page.wait_for_url("**/account")
        page.goto(f"{few.url}{UI}/users/{ada[few]}")
        found = page.text_content("main")
        assert "Sign out everywhere" in found and "Delete" not in found
        act(page, "Sign out everywhere", "asked by phone")
        page.wait_for_url("**?notice=*")
        assert "asked by phone" in page.text_content("main")


with stack:
    run()
