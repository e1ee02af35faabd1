"""Cases of the timeline and of a request's calls."""

import json
import os
import re
import shlex
import smtplib
import subprocess
import time
import urllib.request

import people
from dashboard_page import APP, CONTROL, HOSTILE, PLAYGROUND, dashboard, eventually, texts
from judge import case, client, control


def command(place):
    """The command that does the same."""
    place.locator("details.command").last.locator("summary").click()
    text = place.locator("details.command").last.locator("code")
    return eventually(lambda: text.inner_text() or None)


def run_command(line):
    words = shlex.split(line)
    assert words[0] == "emulator", line
    return subprocess.run([os.environ["EMULATOR"], *words[1:]], capture_output=True, text=True)


def refused_refresh():
    people.http("POST", "/auth/refresh", {"refreshToken": "lkr_unknown"})


@case
def a_request_appears_as_it_happens():
    with dashboard() as shown:
        before = shown.requests_of("GET /auth/me").count()
        people.http("GET", "/auth/me")
        eventually(lambda: shown.requests_of("GET /auth/me").count() == before + 1 or None)
        newest = texts(shown.page.locator(".requests tbody tr").first.locator("td"))
        assert newest[1:3] == ["GET /auth/me", "401 refused"], newest


@case
def a_refusal_says_why():
    refused_refresh()
    with dashboard() as shown:
        # An older one that was answered can be listed first for a moment.
        shown.open_request("POST /auth/refresh", "401 refused")

        def explained():
            why = texts(shown.page.locator(".waterfall .why"))
            if any("refreshTokenRejected.malformed" in text for text in why):
                return why
            # The function's log line can arrive after its answer.
            shown.page.reload()
            shown.page.locator(".waterfall tbody tr").first.wait_for()
            return None
        why = eventually(explained)
        assert any("INVALID_REFRESH_TOKEN" in text for text in why), why


@case
def the_list_is_filtered_by_text_and_by_problems():
    people.sign_in()
    refused_refresh()
    with dashboard() as shown:
        titles = shown.page.locator(".requests tbody a")
        shown.page.get_by_role("searchbox").fill("/auth/signin")
        assert all("/auth/signin" in text for text in texts(titles)) and titles.count()
        shown.page.get_by_role("searchbox").fill("")
        shown.page.get_by_label("Problems").check()
        outcomes = texts(shown.page.locator(".requests .outcome"))
        assert outcomes and all(not text.startswith("200") for text in outcomes), outcomes


@case
def it_pauses_and_goes_on():
    with dashboard() as shown:
        shown.page.locator("main").focus()
        shown.page.keyboard.press("Space")
        shown.page.get_by_text("paused").wait_for()
        before = shown.page.locator(".requests tbody tr").count()
        people.http("GET", "/auth/me")
        last = control("GET", "traces/last")["id"]
        assert shown.page.locator(f"a[href$='{last}']").count() == 0
        shown.page.keyboard.press("Space")
        shown.page.locator(f"a[href$='{last}']").wait_for()
        assert shown.page.locator(".requests tbody tr").count() > before


@case
def keys_lead_through_everything():
    people.sign_in()
    with dashboard() as shown:
        page = shown.page
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('tr')?.rowIndex") == 1
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('tr')?.rowIndex") == 2
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        page.locator(".waterfall").wait_for()
        page.keyboard.press("j")
        eventually(lambda: page.evaluate(
            "document.querySelector('[aria-current=true]').closest('tr').rowIndex") == 2 or None)
        page.keyboard.press("Escape")
        page.get_by_text("Choose a request").wait_for()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.type") == "search"
        page.keyboard.type("gf?")
        assert page.get_by_role("searchbox").input_value() == "gf?"
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
        page.keyboard.press("Escape")
        assert not page.get_by_role("dialog").is_visible()
        for key, title in (("f", "Faults"), ("k", "Token"), ("d", "Tables"), ("l", "Log"),
                           ("t", "Timeline")):
            page.keyboard.press("g")
            page.keyboard.press(key)
            page.get_by_role("heading", level=2, name=title).wait_for()
            assert page.title() == f"{title} · Emulator", page.title()


@case
def a_request_is_run_again():
    refused_refresh()
    with dashboard() as shown:
        shown.open_request("POST /auth/refresh")
        before = shown.page.url
        shown.page.get_by_role("button", name="Run it again").click()
        shown.page.wait_for_function("url => location.href !== url", arg=before)
        eventually(lambda: texts(shown.page.locator(".waterfall .call"))[:1] == ["RefreshFunction"]
                   or None)
        newest = control("GET", "invocations?limit=1")["invocations"][0]
        assert newest["function"] == "RefreshFunction"


@case
def the_background_is_shown_on_request_and_that_is_remembered():
    control("POST", "schedules/HousekeepingFunctionEveryMinute")
    urllib.request.urlopen(urllib.request.Request(f"{APP}/auth/me", method="OPTIONS", headers={
        "Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}))
    people.sign_in()
    with dashboard(viewport={"width": 1280, "height": 800}) as shown:
        shown.requests_of("POST /auth/signin").first.wait_for()
        background = shown.requests_of("HousekeepingFunction").or_(
            shown.requests_of("OPTIONS /auth/me"))
        eventually(lambda: not background.count() or None)
        shown.page.get_by_text(re.compile(r"\d+ in the background")).wait_for()
        shown.page.get_by_label("Background").check()
        shown.requests_of("HousekeepingFunction").first.wait_for()
        shown.requests_of("OPTIONS /auth/me").first.wait_for()
        shown.page.reload()
        shown.requests_of("HousekeepingFunction").first.wait_for()
        shown.go("fixtures")
        shown.page.get_by_label("Background").uncheck()
        row = shown.page.get_by_role("link", name="Make a fixture of HousekeepingFunction")
        eventually(lambda: not row.count() or None)


@case
def a_mail_leads_to_its_request_and_back():
    address, _ = people.registration()
    with dashboard() as shown:
        calls = shown.open_request("POST /auth/register")
        calls.locator(".call").filter(has_text="ses SendEmail").click()
        shown.page.get_by_role("link", name="The mail").click()
        message = shown.page.get_by_role("region", name="Mail", exact=True)
        assert address in message.inner_text()
        message.get_by_role("link", name="POST /auth/register").click()
        shown.page.locator(".waterfall").wait_for()


@case
def a_mail_by_smtp_leads_to_its_call_and_back():
    with urllib.request.urlopen(f"{PLAYGROUND}/emulator.json") as answer:
        port = json.load(answer)["smtpPort"]
    with dashboard("mail") as shown:
        with smtplib.SMTP("127.0.0.1", port) as server:
            server.sendmail("app@example.com", ["ada@example.com"], f"Subject: {HOSTILE}\n\nHello")
        # The list is live.
        shown.page.get_by_role("link", name=HOSTILE).first.click()
        message = shown.page.get_by_role("region", name="Mail", exact=True)
        message.get_by_role("link", name="smtp MAIL").click()
        shown.page.locator(".waterfall .call").filter(has_text="smtp MAIL").click()
        shown.page.get_by_role("link", name="Break this call").click()
        service = shown.page.locator("form").filter(has_text="Service").locator("[name=service]")
        assert eventually(lambda: service.input_value() or None) == "ses"
        shown.page.go_back()
        shown.page.locator(".waterfall .call").filter(has_text="smtp MAIL").click()
        shown.page.get_by_role("link", name="The mail").click()
        assert "ada@example.com" in message.inner_text()


@case
def a_call_leads_to_its_table_and_to_a_fault():
    people.sign_in()
    with dashboard() as shown:
        calls = shown.open_request("POST /auth/signin")
        calls.locator(".call").filter(has_text="TransactWriteItems").first.click()
        shown.page.get_by_role("link", name="Break this call").click()
        form = shown.page.locator("form").filter(has_text="Service")
        eventually(lambda: form.locator("[name=operation]").input_value() or None)
        values = [form.locator(f"[name={name}]").input_value()
                  for name in ("service", "operation", "table")]
        assert values == ["dynamodb", "TransactWriteItems", "Table"], values
        shown.page.go_back()
        calls.locator(".call").filter(has_text="TransactWriteItems").first.click()
        shown.page.get_by_role("link", name="Items of Table").first.click()
        shown.page.get_by_role("heading", level=2, name="Table").wait_for()


@case
def an_upload_leads_to_its_object():
    s3 = client("s3")
    bucket = s3.list_buckets()["Buckets"][0]["Name"]
    s3.put_object(Bucket=bucket, Key="notes/today.txt", Body=b"a note of today")
    with dashboard() as shown:
        calls = shown.open_request(f"s3 PutObject {bucket}/notes/today.txt")
        calls.locator(".call").first.click()
        shown.page.get_by_role("link", name="The object").click()
        shown.page.get_by_text("a note of today").wait_for()


@case
def a_request_is_shown_as_a_command():
    people.sign_in()
    with dashboard() as shown:
        shown.open_request("POST /auth/signin")
        printed = run_command(command(shown.page))
        assert "SignInFunction" in printed.stdout, printed


@case
def secrets_are_masked_until_clicked():
    session = people.sign_in()
    with dashboard() as shown:
        calls = shown.open_request("POST /auth/signin")
        calls.locator(".call").filter(has_text="SignInFunction").click()
        shown.page.get_by_role("region", name="Answer").wait_for()
        for secret in session["accessToken"], session["refreshToken"]:
            assert secret not in shown.page.content()
        shown.page.get_by_role("region", name="Answer").get_by_role(
            "button", name="Show the secret").first.click()
        assert shown.page.get_by_role("region", name="Answer").locator("mark").count() == 1


@case
def one_authorization_is_one_timeline():
    with dashboard() as shown:
        tab = shown.context.new_page()
        tab.goto(PLAYGROUND + "/others.html")
        tool = tab.locator("section").filter(has_text="Command line")
        tool.get_by_role("button", name="Ask for access").click()
        email = people.password_account()[0]
        tab.locator("[name=email]").fill(email)
        tab.locator("[name=password]").fill(people.PASSWORD)
        tab.locator("button.main").first.click()
        tab.locator("button[name=decision][value=allow]").click()
        tool.get_by_text("It may:").first.wait_for()
        tool.get_by_role("button", name="Who is it?").click()
        tool.get_by_text(email).first.wait_for()
        tab.close()
        shown.open_request("POST /oauth/token")
        steps = shown.page.locator(".authorization a")
        assert texts(steps) == [
            "GET /oauth/authorize", "GET /auth/ui/consent", "POST /auth/ui/consent",
            "POST /oauth/token", "GET /oauth/userinfo"], texts(steps)
        assert texts(shown.page.locator(".authorization [aria-current]")) == ["POST /oauth/token"]
        steps.first.click()
        shown.page.locator("h2", has_text="GET /oauth/authorize").wait_for()
        assert steps.count() == 5, texts(steps)


@case
def requests_with_the_same_tokens_are_linked():
    session = people.sign_in()
    people.http("GET", "/auth/me", token=session["accessToken"])
    with dashboard() as shown:
        shown.open_request("GET /auth/me")
        linked = shown.page.locator(".linked")
        linked.get_by_role("link", name="POST /auth/signin").click()
        shown.page.get_by_role("heading", level=2, name="POST /auth/signin").wait_for()


def trace_of(count):
    calls = [{
        "number": number, "service": "dynamodb", "operation": "GetItem", "resource": "Table",
        "title": f"dynamodb GetItem {number}", "depth": number % 5, "outcome": "200",
        "verdict": "ok", "offsetMicroseconds": 10 * number, "durationMicroseconds": 8,
        "startedAt": "2026-11-26T12:00:00.000Z"} for number in range(count)]
    return {"id": "1-6b083391-fa3bb5c936dad1d809b4bb59", "title": "GET /many", "outcome": "200",
            "verdict": "ok", "startedAt": "2026-11-26T12:00:00.000Z", "linked": [],
            "durationMicroseconds": 10 * count, "callCount": count, "last": count, "calls": calls}


@case
def twenty_thousand_calls_open_as_rows_are_reached():
    body = json.dumps(trace_of(20_000))
    with dashboard() as shown:
        shown.page.route("**/_emulator/traces/1-many", lambda route: route.fulfill(
            body=body, content_type="application/json"))
        start = time.monotonic()
        shown.go("timeline/1-many")
        rows = shown.page.locator(".waterfall tbody tr:not(.details)")
        rows.first.wait_for()
        print(f"        20,000 calls: {1000 * (time.monotonic() - start):.0f} ms")
        assert rows.count() <= 600, rows.count()
        before = rows.count()
        shown.page.locator(".waterfall + p").scroll_into_view_if_needed()
        eventually(lambda: rows.count() > before or None)


@case
def idle_time_is_shortened():
    trace = trace_of(3)
    trace["calls"][2]["offsetMicroseconds"] = 9_000_000
    with dashboard() as shown:
        shown.page.route("**/_emulator/traces/1-idle", lambda route: route.fulfill(
            body=json.dumps(trace), content_type="application/json"))
        shown.go("timeline/1-idle")
        assert "shortened" in shown.page.locator(".waterfall thead").inner_text()
        place = [float(text) for text in shown.page.evaluate(
            "[...document.querySelectorAll('.track i')].map(({style}) => parseFloat(style.left))")]
        # Without it, the second would begin within a millionth of the first.
        assert place[1] - place[0] > 10, place


@case
def an_unknown_request_is_not_found():
    with dashboard("timeline/1-00000000-000000000000000000000000") as shown:
        shown.page.get_by_role("alert").get_by_text("Trace not found").wait_for()


@case
def a_trace_from_the_playground_is_one_click_away():
    with dashboard(None) as shown:
        app = shown.context.new_page()
        app.goto(PLAYGROUND)
        phone = app.get_by_role("region", name="Phone")
        phone.get_by_role("button", name="Go on as a guest").click()
        with shown.context.expect_page() as opened:
            phone.get_by_role("link", name="trace").first.click()
        opened.value.locator(".waterfall").wait_for()
        assert opened.value.url.startswith(f"{CONTROL}/#/timeline/1-"), opened.value.url


@case
def a_span_of_ones_own_is_in_its_request():
    people.http("GET", "/auth/me")
    trace = control("GET", "traces/last")
    now = time.time_ns()
    control("POST", "otlp/v1/traces", {"resourceSpans": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]},
        "scopeSpans": [{"spans": [{
            "traceId": trace["id"][2:].replace("-", ""), "spanId": "00f067aa0ba902b7",
            "name": HOSTILE, "startTimeUnixNano": str(now), "endTimeUnixNano": str(now + 1000),
        }]}]}]})
    with dashboard(f"timeline/{trace['id']}") as shown:
        call = shown.page.locator(".call").filter(has_text=HOSTILE)
        call.wait_for()
        assert call.inner_text() == f"span {HOSTILE} shop", call.inner_text()
    # The same request for other viewers.
    written = control("GET", "otlp/v1/traces?limit=1")["resourceSpans"]
    names = [one["scopeSpans"][0]["spans"][0]["name"] for one in written]
    assert "GET /auth/me" in names, names
