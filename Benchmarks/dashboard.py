"""Measures the emulator's dashboard in Chromium, against its limits.

usage: scripts/bench-dashboard [--seconds S] [--emulator FILE]
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/System/ClientTests/Clients"))
from chromium_shell import launch_chromium

PAGES = ROOT / "Emulator/Dashboard/Pages"
EVENTS_A_SECOND = 5000
BATCH = 500
SPANS_OF_A_TRACE = 10
CALLS = 20_000
WATCH = """
window.inputs = [];
new PerformanceObserver((list) => inputs.push(...list.getEntries().map(({duration}) => duration)))
    .observe({type: "event", durationThreshold: 16});
window.live = new Promise((done) => {
    new MutationObserver(() => {
        if (document.getElementById("link")?.textContent === "live") done(performance.now());
    }).observe(document, {childList: true, subtree: true, characterData: true});
});
"""
FIRST_PAINT = """new Promise((done) => {
    new PerformanceObserver((list) => {
        const paint = list.getEntriesByName("first-contentful-paint")[0];
        if (paint) done(paint.startTime);
    }).observe({type: "paint", buffered: true});
})"""
# Opens a request of so many calls, whose answer is made on the page: from the click to the rows.
OPEN = """async (count) => {
    const calls = Array.from({length: count}, (_, number) => ({
        number, service: "dynamodb", operation: "GetItem", resource: "Table", outcome: "200",
        title: `dynamodb GetItem ${number}`, depth: number % 5, verdict: "ok",
        offsetMicroseconds: 10 * number, durationMicroseconds: 8,
        startedAt: "2026-11-26T12:00:00.000Z"}));
    const body = JSON.stringify({id: "1-many", title: "GET /many", outcome: "200", verdict: "ok",
        startedAt: "2026-11-26T12:00:00.000Z", durationMicroseconds: 10 * count, linked: [],
        calls});
    const own = window.fetch;
    window.fetch = (url, ...more) => String(url).endsWith("/1-many")
        ? Promise.resolve(new Response(body)) : own(url, ...more);
    const began = performance.now();
    const drawn = new Promise((done) => new MutationObserver((_, watch) => {
        if (!document.querySelector(".waterfall tbody tr")) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    }).observe(document, {childList: true, subtree: true}));
    location.hash = "#/timeline/1-many";
    return drawn;
}"""


class Report:
    is_kept = True

    def line(self, name, value, unit, limit=None):
        verdict = ""
        if limit is not None:
            verdict = f"at most {limit:,}" if value <= limit else f"MORE THAN {limit:,}"
            self.is_kept &= value <= limit
        print(f"  {name:<44}{value:>12,.0f} {unit:<6} {verdict}", flush=True)


def sizes(report):
    files = [path.read_bytes() for path in PAGES.iterdir()]
    report.line("lines", sum(text.count(b"\n") for text in files), "", 4000)
    report.line("bytes", sum(map(len, files)), "B", 150_000)
    compressed = sum(len(gzip.compress(text)) for text in files)
    report.line("compressed one by one", compressed, "B", 40_000)


def spans(first, count):
    now = time.time_ns()
    return json.dumps({"resourceSpans": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "bench"}}]},
        "scopeSpans": [{"spans": [{
            "traceId": f"{1 + (first + number) // SPANS_OF_A_TRACE:032x}",
            "spanId": f"{1 + first + number:016x}", "name": f"step {number % SPANS_OF_A_TRACE}",
            "startTimeUnixNano": str(now + 1000 * number),
            "endTimeUnixNano": str(now + 1000 * number + 900),
        } for number in range(count)]}]}]}).encode()


def flood(control, seconds, sent):
    """Sends so many events a second, as OpenTelemetry spans of an application."""
    bodies = [spans(first, BATCH) for first in range(0, int(EVENTS_A_SECOND * seconds), BATCH)]
    began = time.monotonic()
    for index, body in enumerate(bodies):
        time.sleep(max(0, began + index * BATCH / EVENTS_A_SECOND - time.monotonic()))
        urllib.request.urlopen(urllib.request.Request(
            f"{control}/_emulator/otlp/v1/traces", data=body,
            headers={"Content-Type": "application/json"})).close()
        sent.append(BATCH)


def measure_screen(page, control, place, rows, seconds, report):
    page.goto(f"{control}/#/{place}")
    page.locator("main h2").first.wait_for()
    page.wait_for_timeout(300)
    page.evaluate("inputs.length = 0")
    sent = []
    sender = threading.Thread(target=flood, args=(control, seconds, sent))
    began = time.monotonic()
    sender.start()
    most = 0
    while sender.is_alive():
        page.keyboard.press("Shift")
        most = max(most, page.locator(rows).count())
        page.wait_for_timeout(50)
    took = time.monotonic() - began
    report.line(f"{place}: events a second", sum(sent) / took, "")
    report.line(f"{place}: slowest input", page.evaluate("Math.max(0, ...inputs)"), "ms", 100)
    report.line(f"{place}: rows on the page", most, "", 200)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench-dashboard")
    parser.add_argument("--seconds", type=float, default=60, help="of the flood")
    parser.add_argument("--emulator", default=str(ROOT / ".build/release/emulator"))
    arguments = parser.parse_args()
    if not os.access(arguments.emulator, os.X_OK):
        sys.exit("bench-dashboard: there is no emulator; make emulator builds one")
    report = Report()
    sizes(report)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        template = pathlib.Path(folder, "template.json")
        template.write_text(json.dumps({
            "Transform": "AWS::Serverless-2016-10-31",
            "Resources": {"Table": {"Type": "AWS::Serverless::SimpleTable"}}}))
        ready = pathlib.Path(folder, "ready.json")
        emulator = subprocess.Popen(
            [arguments.emulator, "serve", "--template", str(template), "--ephemeral", "--no-watch",
             "--port", "0", "--aws-port", "0", "--ready-file", str(ready)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        browser = launch_chromium(playwright)
        try:
            while not ready.exists():
                time.sleep(0.01)
            control = json.loads(ready.read_text())["controlUrl"]
            for name in "first visit", "next visit":
                if name == "first visit":
                    page = browser.new_page()
                    page.add_init_script(WATCH)
                requests = []
                page.on("request", lambda request: requests.append(request.url))
                page.goto("about:blank")
                page.goto(control)
                live = page.evaluate("live")
                paint = page.evaluate(FIRST_PAINT)
                report.line(f"{name}: first paint", paint, "ms", 100)
                report.line(f"{name}: usable", live, "ms", 200)
                if name == "first visit":
                    files = [url for url in requests if "/_emulator/" not in url]
                    report.line("files", len(files), "", 12)
            report.line(f"{CALLS:,} calls of one request", page.evaluate(OPEN, CALLS), "ms", 500)
            for screen, rows in ("timeline", ".requests tbody tr"), ("log", "main ol > li"):
                measure_screen(page, control, screen, rows, arguments.seconds, report)
        finally:
            browser.close()
            emulator.terminate()
            emulator.wait()
    sys.exit(0 if report.is_kept else 1)


main()
