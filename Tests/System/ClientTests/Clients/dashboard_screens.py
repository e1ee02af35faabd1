"""Cases of the other screens."""

import base64
import re
import uuid

import people
from dashboard_page import APP, CONTROL, dashboard, eventually, texts
from dashboard_timeline import command, run_command
from judge import case, client, control

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==")
# A defect of a token, and the check that reports it.
TOKEN_FAULTS = {
    "expired": "exp", "wrong-audience": "aud", "alg-none": "alg", "unknown-kid": "kid",
    "changed-signature": "signature", "changed-payload": "signature",
    "missing-signature": "signature", "crit-header": "crit", "five-parts": "parts",
    "not-json": "json", "padded": "base64url", "oversized": "size", "wrong-issuer": "iss",
    "wrong-type": "typ",
}


def row_of(page, text):
    return page.locator("main tbody tr").filter(has_text=text)


def explained(shown, token):
    shown.page.locator("[name=token]").fill(token)
    shown.page.get_by_role("button", name="Explain", exact=True).click()
    return shown.page.get_by_role("region", name="Checks")


@case
def a_good_token_passes_every_check():
    with dashboard("token") as shown:
        checks = explained(shown, people.mint("apple"))
        checks.get_by_role("heading", name="ID token of apple").wait_for()
        verdicts = set(texts(checks.locator("tbody .outcome")))
        assert "failed" not in verdicts and "passed" in verdicts, verdicts


def token_fault(fault, check):
    def yields_its_check():
        with dashboard("token") as shown:
            checks = explained(shown, people.mint("apple", fault=fault))
            failed = checks.locator("tbody tr").filter(has=shown.page.locator(".failed"))
            eventually(lambda: failed.first.locator("th").inner_text() == check or None)
    yields_its_check.__name__ = f"a_token_with_{fault.replace('-', '_')}_fails_at_{check}"
    case(yields_its_check)


for _fault, _check in TOKEN_FAULTS.items():
    token_fault(_fault, _check)


@case
def an_active_fault_comes_before_all_checks():
    control("POST", "faults", {"match": {"service": "provider", "provider": "apple"},
                               "effect": "error", "error": "jwks-500"})
    try:
        with dashboard("token") as shown:
            checks = explained(shown, people.mint("apple"))
            first = checks.locator("tbody tr").first
            eventually(lambda: "jwks-500" in first.inner_text() or None)
            assert first.locator("th").inner_text() == "faults"
    finally:
        control("DELETE", "faults")


@case
def a_requests_tokens_are_explained():
    people.sign_in()
    with dashboard() as shown:
        shown.open_request("POST /auth/signin")
        shown.page.get_by_role("link", name="Tokens").click()
        shown.page.get_by_role("heading", name="Tokens of SignInFunction").wait_for()
        shown.page.get_by_role("heading", name="ID token of apple").wait_for()
        shown.page.locator(".linked li").last.get_by_role("button", name="Explain").click()
        shown.page.get_by_role("heading", name="of Latchkey").or_(
            shown.page.get_by_role("heading", name="access token")).wait_for()


@case
def a_preset_is_switched_on_and_off():
    with dashboard("faults") as shown:
        page = shown.page
        page.get_by_role("button", name="Switch on: The store is busy").click()
        row_of(page, "dynamodb: throttle").wait_for()
        page.get_by_role("link", name="1 fault is on").wait_for()
        people.http("POST", "/auth/challenge", {})
        hits = row_of(page, "dynamodb: throttle").locator(".number").nth(1)
        eventually(lambda: hits.inner_text() != "0" or None)
        printed = run_command(command(page.locator("main > div > div").first))
        assert printed.returncode == 0, printed
        page.get_by_role("button", name="Switch off fault").click()
        page.get_by_text("No fault is on").wait_for()
    assert control("GET", "faults")["faults"] == []


@case
def every_preset_is_known_to_the_emulator():
    with dashboard("faults") as shown:
        buttons = shown.page.get_by_role("button", name="Switch on: ")
        count = buttons.count()
        assert count >= 8, count
        for index in range(count):
            buttons.nth(index).click()
            shown.page.get_by_text(": it is on.").wait_for()
            control("DELETE", "faults")
            shown.go("timeline")
            shown.go("faults")


@case
def any_fault_is_added_by_the_form():
    with dashboard("faults") as shown:
        form = shown.page.locator("form").filter(has_text="Service")
        form.locator("[name=service]").select_option("s3")
        form.locator("[name=effect]").select_option("delay")
        form.locator("[name=operation]").fill("PutObject")
        form.locator("[name=milliseconds]").fill("20")
        form.locator("[name=count]").fill("2")
        line = command(form)
        form.get_by_role("button", name="Switch on").click()
        row_of(shown.page, "s3 operation=PutObject").wait_for()
        [by_page] = control("GET", "faults")["faults"]
        control("DELETE", "faults")
        # Its command adds the same one.
        assert run_command(line).returncode == 0, line
        [by_command] = control("GET", "faults")["faults"]
        control("DELETE", "faults")
        for fault in by_page, by_command:
            del fault["id"]
        assert by_page == by_command, (by_page, by_command)


@case
def a_wrong_fault_is_refused_in_words():
    with dashboard("faults") as shown:
        form = shown.page.locator("form").filter(has_text="Service")
        form.locator("[name=service]").select_option("dynamodb")
        form.locator("[name=operation]").fill("NoSuchThing")
        form.get_by_role("button", name="Switch on").click()
        shown.page.get_by_role("status").get_by_text("unknown operation 'NoSuchThing'").wait_for()


@case
def every_experiment_has_its_verdict():
    with dashboard("races") as shown:
        buttons = shown.page.get_by_role("button", name="Run: ")
        buttons.first.wait_for()
        assert buttons.count() == 5
        for index in range(5):
            buttons.nth(index).click()
            verdict = shown.page.get_by_role("region", name="Verdict")
            verdict.locator("table").wait_for()
            assert "as expected" in verdict.inner_text(), verdict.inner_text()
            assert "Successors issued: 1" in verdict.inner_text() or index == 4
        verdict.get_by_role("link", name="Its calls").first.click()
        shown.page.locator(".waterfall").wait_for()


@case
def a_gate_holds_and_is_opened():
    with dashboard("races") as shown:
        page = shown.page
        form = page.locator("form")
        form.locator("[name=service]").select_option("route")
        form.locator("[name=path]").fill("/no/such/route")
        form.get_by_role("button", name="Add the gate").click()
        row_of(page, "/no/such/route").get_by_text("waiting").wait_for()
        gate = control("GET", "gates")["gates"][0]
        assert gate["order"] == "reverse" and gate["arrivals"] == 2, gate
        page.get_by_role("button", name="Open gate").click()
        row_of(page, "/no/such/route").get_by_text("opened").wait_for()
        page.get_by_role("button", name="Remove gate").click()
        page.get_by_text("No gate holds requests").wait_for()


@case
def a_tables_items_are_shown_and_filtered():
    user = people.sign_in()["user"]["id"]
    with dashboard("tables") as shown:
        shown.page.get_by_role("link", name="Table", exact=True).click()
        shown.page.get_by_role("heading", level=2, name="Table").wait_for()
        row_of(shown.page, "#").first.wait_for()
        while shown.page.get_by_role("button", name="More").count():
            shown.page.get_by_role("button", name="More").click()
            shown.page.wait_for_timeout(100)
        shown.page.get_by_role("searchbox").fill(user)
        found = shown.page.locator("main tbody tr:visible")
        eventually(lambda: all(user in text for text in found.all_text_contents()) or None)
        assert 0 < found.count() < shown.page.locator("main tbody tr").count()
        found.first.locator("summary").click()
        assert found.first.get_by_role("region", name="Item").is_visible()
        assert run_command(command(shown.page)).returncode == 0


@case
def an_item_leads_to_the_request_that_wrote_it_and_back():
    user = people.sign_in()["user"]["id"]
    with dashboard("tables/Table") as shown:
        shown.page.get_by_role("searchbox").wait_for()
        row_of(shown.page, "#").first.wait_for()
        profile = row_of(shown.page, f"USER#{user}").filter(has_text="PROFILE")
        while not profile.count():
            shown.page.get_by_role("button", name="More").click()
            shown.page.wait_for_timeout(100)
        assert "TransactWriteItems" in profile.inner_text(), profile.inner_text()
        profile.get_by_role("link", name="POST /auth/signin").click()
        shown.page.locator(".waterfall").wait_for()
        shown.page.get_by_role("button", name="dynamodb TransactWriteItems Table").last.click()
        shown.page.get_by_role("link", name=f"USER#{user} PROFILE").click()
        shown.page.get_by_role("region", name="Item", exact=True).get_by_text(user).first.wait_for()
        assert row_of(shown.page, "#").count() == 1
        printed = run_command(command(shown.page))
        assert printed.returncode == 0 and user in printed.stdout, printed
        shown.page.get_by_role("link", name="All items").click()
        shown.page.get_by_role("searchbox").wait_for()


def put(key, body, kind):
    s3 = client("s3")
    bucket = s3.list_buckets()["Buckets"][0]["Name"]
    s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=kind)
    return bucket


@case
def a_text_and_an_image_are_previewed():
    bucket = put("a/pixel.png", PIXEL, "image/png")
    put("a/words.txt", b"words", "text/plain")
    with dashboard("objects") as shown:
        shown.page.get_by_role("link", name=bucket, exact=True).click()
        shown.page.get_by_role("link", name="a/pixel.png").click()
        image = shown.page.locator(".message img")
        eventually(lambda: image.evaluate("image => image.naturalWidth") or None)
        shown.page.get_by_role("link", name="a/words.txt").click()
        shown.page.get_by_role("region", name="Content").get_by_text("words").wait_for()


@case
def sessions_have_family_generation_and_grace():
    session = people.sign_in()
    people.http("POST", "/auth/refresh", {"refreshToken": session["refreshToken"]})
    with dashboard("sessions") as shown:
        mine = row_of(shown.page, session["user"]["id"][:8])
        mine.wait_for()
        cells = texts(mine.locator("td"))
        assert cells[1] == "active ok" or cells[1] == "active", cells
        assert cells[3] == "1", cells
        assert re.fullmatch(r"\d+ s|1 min", cells[4]), cells
        people.http("POST", "/auth/signout", {"scope": "all"}, token=session["accessToken"])
        eventually(lambda: not mine.get_by_text("active", exact=True).count() or None)


@case
def sessions_that_cannot_be_listed_have_a_reason():
    note = "This needs Latchkey's function audit"
    with dashboard() as shown:
        shown.page.route("**/_emulator/sessions*", lambda route: route.fulfill(
            json={"sessions": [], "functions": [], "notes": [note]}))
        shown.go("sessions")
        shown.page.get_by_text(note, exact=True).wait_for()
        shown.page.get_by_text("No sessions.").wait_for()
        # All cases share the browser's page.
        shown.page.unroute("**/_emulator/sessions*")


@case
def a_mail_shows_its_text_and_masks_its_code():
    address, _ = people.registration()
    with dashboard("mail") as shown:
        row_of(shown.page, address).get_by_role("link").click()
        message = shown.page.get_by_role("region", name="Mail", exact=True)
        text = message.get_by_role("region", name="Text")
        text.wait_for()
        # A random address can have eight digits in a row, too.
        shown_text = message.inner_text().replace(address, "")
        assert not re.search(r"\b\d{8}\b", shown_text), shown_text
        message.get_by_role("button", name="Show the secret").first.click()
        code = message.locator("mark").first.inner_text()
        assert code.isdigit(), code
        # The same code stands in the text, where it is still masked.
        assert code not in text.inner_text()
        text.get_by_role("button", name="Show the secret").last.click()
        assert code in text.inner_text()


@case
def links_of_a_mail_lead_where_they_say_and_hide_their_tokens():
    address = f"{uuid.uuid4()}@example.com"
    client("sesv2").send_email(
        FromEmailAddress="no-reply@example.com", Destination={"ToAddresses": [address]},
        Content={"Simple": {"Subject": {"Data": "Links"}, "Body": {"Text": {"Data":
            f"Open {APP}/x?token=secret-of-the-link&a=b or javascript://alert(1) here.\n"}}}})
    with dashboard("mail") as shown:
        shown.page.get_by_label("Filter the mails").fill(address)
        row_of(shown.page, address).get_by_role("link").click()
        text = shown.page.get_by_role("region", name="Text")
        link = text.get_by_role("link")
        assert link.get_attribute("href") == f"{APP}/x?token=secret-of-the-link&a=b"
        assert link.get_attribute("rel") == "noopener noreferrer"
        assert link.count() == 1 and "secret-of-the-link" not in text.inner_text()
        shown.page.get_by_role("button", name="Delete", exact=True).click()
        shown.page.get_by_text("The mail is deleted.").wait_for()
        shown.page.get_by_text("No mail has this recipient").wait_for()


@case
def what_a_preset_switches_on_together_goes_off_together():
    with dashboard("faults") as shown:
        page = shown.page
        page.get_by_role("button", name="Switch on: Apple's keys are broken").click()
        page.get_by_role("link", name="2 faults are on").wait_for()
        page.get_by_role("button", name="Switch off together: Apple's keys are broken").click()
        page.get_by_text("Apple's keys are broken: it is off.").wait_for()
        assert control("GET", "faults")["faults"] == []
        page.get_by_role("button", name="Switch on: Apple's keys are broken").click()
        # The tile remembers nothing: another tab switches off what is on.
        other = shown.open("faults")
        other.get_by_role("button", name="Switch off: Apple's keys are broken").click()
        other.get_by_text("No fault is on").wait_for()
        other.close()
    assert control("GET", "faults")["faults"] == []


@case
def a_fixture_is_made_of_any_invocation():
    people.sign_in()
    with dashboard("fixtures") as shown:
        shown.page.get_by_role("link", name="Make a fixture of SignInFunction").first.click()
        shown.page.get_by_role("region", name="Fixture").get_by_text("settings.json").wait_for()
        line = command(shown.page)
        assert line.startswith("emulator record "), line


@case
def an_invocation_without_an_answer_is_no_fixture():
    control("POST", "faults", {"match": {"service": "function", "function": "MeFunction"},
                               "effect": "error", "error": "Runtime.ExitError", "count": 1})
    people.http("GET", "/auth/me", token="x")
    with dashboard() as shown:
        shown.open_request("GET /auth/me")
        shown.page.get_by_role("link", name="Save as a fixture").first.click()
        shown.page.get_by_role("alert").get_by_text("Not recorded").wait_for()


@case
def the_clock_is_moved_and_comes_back():
    with dashboard("time") as shown:
        shown.page.get_by_role("button", name="+1 day").click()
        shown.page.get_by_text("1 d ahead of").wait_for()
        assert control("GET", "clock")["aheadSeconds"] == 86400
        shown.page.get_by_role("button", name="Back to now").click()
        shown.page.get_by_text("as on this machine").wait_for()
        shown.page.locator("[name=seconds]").fill("-90")
        shown.page.get_by_role("button", name="Move").click()
        shown.page.get_by_text("1 min 30 s behind").wait_for()
    control("POST", "clock", {"reset": True})


@case
def a_schedule_runs_now():
    with dashboard("time") as shown:
        shown.page.get_by_role("button", name="Run HousekeepingFunctionEveryMinute now").click()
        shown.page.get_by_text("HousekeepingFunction has run").wait_for()
        shown.page.get_by_role("button", name="Delete what has expired").click()
        shown.page.get_by_text("deleted").last.wait_for()


@case
def the_log_is_live_filtered_and_silent():
    with dashboard("log") as shown:
        log = shown.page.locator("main ol")
        assert log.get_attribute("role") is None
        people.http("POST", "/auth/refresh", {"refreshToken": "lkr_unknown"})
        log.get_by_text("refreshTokenRejected.malformed").last.wait_for()
        shown.page.get_by_label("Lines only").check()
        assert log.get_by_role("link").count() == 0
        shown.page.get_by_role("searchbox").fill("no such text")
        assert log.locator("li").count() == 0
        shown.page.get_by_label("Read aloud").check()
        assert log.get_attribute("role") == "log"


# The page's stream, into which the test puts what it wants.
FAKED = """window.EventSource = class extends EventTarget {
    constructor() { super(); window.faked = this; setTimeout(() => this.onopen()); }
    close() {}
};"""


@case
def a_flood_of_lines_is_counted_and_few_are_shown():
    with dashboard(None) as shown:
        shown.context.add_init_script(FAKED)
        page = shown.open("log")
        page.get_by_text("live").wait_for()
        page.evaluate("""() => {
            const put = (type, data) => faked.dispatchEvent(
                new MessageEvent(type, {data: JSON.stringify(data)}));
            put('dropped', {count: 7});
            for (let number = 1_000_001; number <= 1_020_000; number++) put('log', {
                number, at: '2026-11-26T12:00:00.000Z', function: 'F', text: `line ${number}`});
        }""")
        dropped = page.get_by_text(re.compile(r"\d+ were not kept"))
        eventually(lambda: int(re.search(r"(\d+) were", dropped.inner_text())[1]) >= 15007 or None)
        assert page.locator("main ol > li").count() < 200
        assert page.locator("main ol > li").last.inner_text().endswith("line 1020000")


@case
def the_routes_lead_to_the_app():
    with dashboard("routes") as shown:
        row_of(shown.page, "POST /auth/signin").get_by_text("SignInFunction").wait_for()
        keys = shown.page.get_by_role("link", name="GET /.well-known/jwks.json")
        assert keys.get_attribute("href").endswith("/.well-known/jwks.json")
        assert shown.page.get_by_role("link", name="/_emulator/health").count() == 1
        assert CONTROL.rpartition(":")[2] not in keys.get_attribute("href")


@case
def the_people_of_the_providers_are_listed():
    people.http("POST", "/_idp/google/accounts", {"email": "rosa@example.com", "name": "Rosa"})
    with dashboard("sessions") as shown:
        rosa = row_of(shown.page, "rosa@example.com")
        # The list is drawn again while it is read.
        eventually(lambda: texts(rosa.locator("td"))[:2] == ["Rosa", "google"] or None)


@case
def a_phone_has_every_tab_and_the_mailbox_of_the_dashboard():
    people.registration()
    with dashboard(viewport={"width": 390, "height": 700}) as shown:
        for place in "mail", "mail/latest":
            shown.page.goto(f"{CONTROL}/_emulator/{place}")
            shown.page.get_by_role("heading", level=2, name="Mail").wait_for()
            assert "/#/mail" in shown.page.url
            assert shown.page.evaluate("document.documentElement.scrollWidth") == 390, place
        tabs = shown.page.locator("nav a")
        boxes = [tabs.nth(index).bounding_box() for index in range(tabs.count())]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes), boxes
