"""Cases of what strangers can do, of the page's files, and of accessibility."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.parse
import uuid

import people
from accessibility import COLOURS, check_axe
from dashboard_page import APP, CONTROL, HOSTILE, PLAYGROUND, chromium, dashboard, eventually
from judge import case, client, control, fetch

SCREENS = ["timeline", "timeline/last", "token", "faults", "races", "tables", "tables/Table",
           "objects", "mail", "sessions", "fixtures", "time", "log", "routes"]


def s3_put(key, body, kind="text/html"):
    s3 = client("s3")
    bucket = s3.list_buckets()["Buckets"][0]["Name"]
    s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=kind)
    return bucket


def shows(shown, text):
    """The text is on the page, and it is not markup."""
    eventually(lambda: text in shown.page.locator("main").inner_text() or None)
    found = shown.page.evaluate(
        "[document.title, document.querySelectorAll('main [onerror], main script').length]")
    assert "hacked" not in found[0] and found[1] == 0, found


@case
def a_hostile_object_stays_text():
    bucket = s3_put(f"hostile/{HOSTILE}", HOSTILE.encode())
    with dashboard() as shown:
        shows(shown, "s3 PutObject")
        shown.go(f"objects/{bucket}")
        shows(shown, HOSTILE)
        shown.page.get_by_role("link", name=HOSTILE).click()
        shown.page.get_by_role("region", name="Content").wait_for()
        shows(shown, HOSTILE)


@case
def a_hostile_mail_stays_text():
    subject = f"{HOSTILE} {uuid.uuid4()}"
    client("sesv2").send_email(
        FromEmailAddress="no-reply@example.com",
        Destination={"ToAddresses": ['"<img src=x onerror=alert(1)>"@example.com']},
        Content={"Simple": {"Subject": {"Data": subject}, "Body": {"Text": {"Data": HOSTILE}}}})
    with dashboard("mail") as shown:
        shows(shown, subject)
        shown.page.get_by_role("link", name=subject).click()
        shown.page.get_by_role("region", name="Text").wait_for()
        shows(shown, HOSTILE)


@case
def a_hostile_claim_stays_text():
    token = people.mint("apple", claims={"name": HOSTILE, HOSTILE: HOSTILE, "aud": HOSTILE})
    with dashboard("token") as shown:
        shown.page.locator("[name=token]").fill(token)
        shown.page.get_by_role("button", name="Explain", exact=True).click()
        shown.page.locator("summary").filter(has_text="Claims").click()
        shows(shown, HOSTILE)


@case
def a_hostile_log_line_stays_text():
    control("POST", "faults", {"match": {"service": "route", "contains": HOSTILE},
                               "effect": "delay", "milliseconds": 1})
    try:
        with dashboard("log") as shown:
            shows(shown, HOSTILE)
            shown.go("faults")
            shows(shown, HOSTILE)
    finally:
        control("DELETE", "faults")


@case
def a_hostile_account_stays_text():
    people.sign_in("google", email=f"{uuid.uuid4()}@example.com", name=HOSTILE)
    session = people.http("POST", "/auth/signin", {
        "provider": "apple", "idToken": people.mint(), "device": {"name": HOSTILE[:40]}})
    assert session[0] == 200, session
    with dashboard("sessions") as shown:
        shows(shown, HOSTILE[:40])
        shown.go("tables/Table")
        shown.page.locator("main tbody summary").first.wait_for()


@case
def a_hostile_path_stays_text():
    fetch("GET", f"{APP}/x/{urllib.parse.quote(HOSTILE)}")
    with dashboard() as shown:
        eventually(lambda: shown.page.locator(".requests a").filter(has_text="/x/").count() or None)
        shown.page.locator(".requests a").filter(has_text="/x/").first.click()
        shown.page.locator(".waterfall").wait_for()
        shows(shown, "/x/")


def foreign(urls, origin):
    """The response to a script of another page."""
    context = chromium().new_context()
    try:
        page = context.new_page()
        page.goto(origin)
        return page.evaluate("""urls => Promise.all(urls.map((url) => fetch(url)
            .then((answer) => answer.status, (error) => error.name)))""", urls)
    finally:
        context.close()


@case
def pages_of_other_origins_cannot_read_it():
    # The playground, a page of the app's own origin, as a function may answer one, and an object.
    bucket = s3_put("page.html", b"<p>a page</p>")
    app = f"{APP}/.well-known/openid-configuration"
    page = client("s3").generate_presigned_url(
        "get_object", Params={"Bucket": bucket, "Key": "page.html"})
    paths = ["/", "/_emulator/events", "/_emulator/traces", "/_emulator/experiments"]
    for origin in PLAYGROUND, app, page:
        found = foreign([CONTROL + path for path in paths], origin)
        assert found == ["TypeError"] * len(paths), (origin, found)
    assert foreign([f"{APP}/_emulator/traces"], app) == [403]


@case
def it_is_in_no_frame():
    context = chromium().new_context()
    try:
        page = context.new_page()
        page.goto(f"{APP}/.well-known/openid-configuration")
        page.evaluate("""url => {
            const frame = document.createElement('iframe');
            frame.src = url;
            document.body.append(frame);
        }""", f"{CONTROL}/")
        page.wait_for_timeout(300)
        [_, frame] = page.frames
        assert "Timeline" not in frame.content(), frame.content()
    finally:
        context.close()


@case
def changes_must_be_json_of_its_own_origin():
    for headers, expected in (
            ({"Origin": CONTROL, "Content-Type": "text/plain"}, 415),
            ({"Origin": PLAYGROUND, "Content-Type": "application/json"}, 403),
            ({"Origin": "null", "Content-Type": "application/json"}, 403),
            ({"Sec-Fetch-Site": "same-site", "Content-Type": "application/json"}, 403),
            ({"Host": "evil.example", "Content-Type": "application/json"}, 403)):
        for path in "experiments/lost", "invocations/last", "faults":
            status, _, _ = fetch("POST", f"{CONTROL}/_emulator/{path}", b"{}", headers)
            assert status == expected, (headers, path, status)


@case
def a_rebinding_host_gets_no_file():
    _, _, page = fetch("GET", f"{CONTROL}/", headers={"Accept": "text/html"})
    script = page.decode().partition('src="')[2].partition('"')[0]
    for path in "/", script:
        status, _, _ = fetch("GET", CONTROL + path, headers={
            "Host": "evil.example", "Accept": "text/html"})
        assert status == 403, (path, status)
    assert fetch("GET", CONTROL + script)[0] == 200


@case
def its_files_are_kept_and_its_page_is_asked_for():
    status, headers, page = fetch("GET", f"{CONTROL}/", headers={"Accept": "text/html"})
    assert status == 200 and headers["Cache-Control"] == "no-cache", dict(headers)
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "require-trusted-types-for 'script'",
                 "frame-ancestors 'none'", "connect-src 'self'"):
        assert part in policy, policy
    assert "unsafe" not in policy, policy
    script = page.decode().partition('src="')[2].partition('"')[0]
    status, headers, _ = fetch("GET", CONTROL + script)
    assert "immutable" in headers["Cache-Control"], dict(headers)
    tag = headers["ETag"]
    status, _, body = fetch("GET", CONTROL + script, headers={"If-None-Match": tag})
    assert status == 304 and body == b"", status
    other = script.replace(script.split("/")[2], "0" * 16)
    for path in other, "/dashboard/", "/dashboard/../x", script + "x":
        assert fetch("GET", CONTROL + path)[0] == 404, path


@case
def an_objects_preview_never_runs():
    bucket = s3_put("page.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
    status, headers, _ = fetch("GET", f"{CONTROL}/_emulator/buckets/{bucket}/preview?key=page.svg")
    assert status == 200 and headers["Content-Type"].startswith("text/plain"), dict(headers)
    assert headers["Content-Security-Policy"].startswith("sandbox"), dict(headers)
    assert headers["X-Content-Type-Options"] == "nosniff"
    for query, expected in (("?key=none", 404), ("", 400), ("?key=a&x=1", 400)):
        path = f"{CONTROL}/_emulator/buckets/{bucket}/preview{query}"
        assert fetch("GET", path)[0] == expected, query


@case
def it_needs_twelve_requests_and_few_bytes():
    with dashboard(locale="en-GB") as shown:
        shown.page.get_by_text("live").wait_for()
        files = [url for url in shown.requests if "/_emulator/" not in url]
        assert len(files) <= 12 and len(shown.requests) <= 14, shown.requests
    pages = pathlib.Path(__file__).resolve().parents[4] / "Emulator/Dashboard/Pages"
    files = [path.read_text() for path in pages.iterdir()]
    lines = sum(text.count("\n") for text in files)
    size = sum(len(text.encode()) for text in files)
    assert lines <= 4000 and size <= 150_000, (lines, size)
    assert not any("innerHTML" in text for text in files)


@case
def seven_tabs_share_one_stream():
    with dashboard(locale="en-GB") as shown:
        tabs = [shown.page] + [shown.open() for _ in range(6)]
        streams = [url for url in shown.requests if "/events?after=" in url]
        assert len(streams) == 1, streams
        people.http("GET", "/auth/me", token="seven")
        last = control("GET", "traces/last")["id"]
        for tab in tabs:
            tab.locator(f"a[href$='{last}']").wait_for()
        # When the tab that has the stream is closed, another one takes it.
        shown.page.close()
        shown.page = tabs[-1]
        people.http("GET", "/auth/me", token="six")
        last = control("GET", "traces/last")["id"]
        for tab in tabs[1:]:
            tab.locator(f"a[href$='{last}']").wait_for()


@case
def the_stream_goes_on_after_the_emulator_was_killed():
    with tempfile.TemporaryDirectory() as folder:
        template = pathlib.Path(folder, "template.json")
        template.write_text(json.dumps({
            "Transform": "AWS::Serverless-2016-10-31",
            "Resources": {"Table": {"Type": "AWS::Serverless::SimpleTable"}}}))
        ready = pathlib.Path(folder, "ready.json")

        def start(control_port):
            ready.unlink(missing_ok=True)
            program = subprocess.Popen(
                [os.environ["EMULATOR"], "serve", "--template", str(template), "--ephemeral",
                 "--no-watch", "--port", "0", "--aws-port", "0", "--control-port", control_port,
                 "--ready-file", str(ready)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return program, eventually(lambda: json.loads(ready.read_text()))

        program, addresses = start("0")
        try:
            with dashboard(None) as shown:
                page = shown.page = shown.context.new_page()
                page.goto(addresses["controlUrl"])
                page.get_by_text("live").wait_for()
                fetch("GET", f"{addresses['url']}/before")
                page.get_by_role("link", name="GET /before").wait_for()
                program.send_signal(signal.SIGKILL)
                program.wait()
                page.get_by_text("connecting again").wait_for()
                program, addresses = start(addresses["controlUrl"].rpartition(":")[2])
                fetch("GET", f"{addresses['url']}/after")
                page.get_by_role("link", name="GET /after").wait_for()
                # The earlier requests belong to another emulator.
                assert page.get_by_role("link", name="GET /before").count() == 0
        finally:
            program.kill()
            program.wait()


def axe(scheme, rules):
    def is_clean():
        people.sign_in()
        with dashboard(color_scheme=scheme) as shown:
            for screen in SCREENS if scheme == "light" else SCREENS[1::3]:
                shown.go(screen)
                check_axe(shown.page, screen, rules)
    is_clean.__name__ = f"axe_finds_nothing_in_{scheme}"
    case(is_clean)


axe("light", None)
axe("dark", COLOURS)


@case
def every_screen_fits_320_pixels_and_forced_colours():
    with dashboard(viewport={"width": 320, "height": 640}, forced_colors="active",
                   reduced_motion="reduce") as shown:
        for screen in SCREENS:
            shown.go(screen)
            width = shown.page.evaluate("document.documentElement.scrollWidth")
            assert width == 320, (screen, width)
            unnamed = shown.page.evaluate("""[...document.querySelectorAll(
                'button, input, a, select, textarea')].filter((item) =>
                    item.checkVisibility() && !item.textContent.trim()
                    && !item.ariaLabel && !item.labels?.length).length""")
            assert unnamed == 0, screen


@case
def on_a_phone_a_request_takes_the_lists_place():
    people.sign_in()
    with dashboard(viewport={"width": 320, "height": 640}) as shown:
        shown.open_request("POST /auth/signin")
        assert not shown.page.locator(".list").is_visible()
        shown.page.get_by_role("link", name="← Requests").click()
        shown.page.locator(".list").wait_for()
        assert not shown.page.locator(".detail").is_visible()


@case
def it_is_used_by_keyboard_alone():
    people.sign_in()
    with dashboard() as shown:
        page = shown.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("g")
        page.keyboard.press("f")
        page.get_by_role("heading", level=2, name="Faults").wait_for()
        # The screen's heading has the focus, so that it is read, and the next control follows it.
        eventually(lambda: page.evaluate("document.activeElement.tagName") == "H2" or None)
        page.get_by_role("button", name="Switch on: The store is busy").wait_for()
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.ariaLabel") == "Switch on: The store is busy":
                break
        page.keyboard.press("Enter")
        page.get_by_text(": it is on.").wait_for()
        control("DELETE", "faults")


@case
def without_scripts_it_says_so():
    with dashboard(None, java_script_enabled=False) as shown:
        page = shown.context.new_page()
        page.goto(CONTROL)
        assert page.locator("noscript p").is_visible()
        assert "/_emulator/mail" in page.locator("noscript p").inner_text()
