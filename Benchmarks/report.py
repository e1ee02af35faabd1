"""Formats the results as a table and as JSON."""

import dataclasses
import json
import os
import platform
import statistics
import subprocess
import time

import settings


@dataclasses.dataclass
class Target:
    """A target: its description, and whether the medians (ours, theirs) meet it.

    With `tail`, the 99th percentile must be no worse than the yardstick's as well.
    """

    words: str
    is_met: object
    tail: bool = False

    @staticmethod
    def times(factor):
        return Target(f"≥ {factor:g} × it", lambda ours, theirs: ours >= factor * theirs)

    @staticmethod
    def times_with_tail(factor):
        return Target(
            f"≥ {factor:g} × it, p99 ≤ its", lambda ours, theirs: ours >= factor * theirs,
            tail=True)

    @staticmethod
    def at_least(value):
        return Target(f"≥ {value:,}", lambda ours, _: ours >= value)

    @staticmethod
    def at_most(value, unit):
        return Target(f"≤ {value:g} {unit}", lambda ours, _: ours <= value)

    @staticmethod
    def at_most_more(value, unit):
        return Target(f"≤ it + {value:g} {unit}", lambda ours, theirs: ours - theirs <= value)

    @staticmethod
    def differs_at_most(value, unit):
        return Target(
            f"± {value:g} {unit}", lambda ours, theirs: abs(ours - theirs) <= value)

    @staticmethod
    def at_most_times(factor):
        return Target(f"≤ {factor:g} × it", lambda ours, theirs: ours <= factor * theirs)


@dataclasses.dataclass
class Result:
    """One line: the rounds of each contender, ours first, the yardstick of the target second."""

    row: str
    what: str
    unit: str
    rounds: dict
    target: Target | None = None
    failures: dict = dataclasses.field(default_factory=dict)
    details: dict = dataclasses.field(default_factory=dict)
    shows_tail: bool = False
    shows_cost: bool = False

    def median(self, name):
        return statistics.median(self.rounds[name]) if self.rounds.get(name) else None

    @property
    def names(self):
        return list(self.rounds)

    @property
    def is_met(self):
        ours, theirs = self.medians()
        if self.target is None:
            return None
        if ours is None or self.names[0] in self.failures:
            return False
        if theirs is None and len(self.names) > 1:
            return None
        return not self.misses()

    def misses(self):
        """The parts of a target that are missed."""
        missed = [] if self.target.is_met(*self.medians()) else ["rate"]
        if self.target.tail and len(self.names) > 1:
            ours, theirs = (self.latency(name, "p99") for name in self.names[:2])
            if ours is None or theirs is None or ours > theirs:
                missed.append("p99")
        return missed

    def medians(self):
        values = [self.median(name) for name in self.names]
        return (values + [None, None])[:2]

    @property
    def ratio(self):
        ours, theirs = self.medians()
        return ours / theirs if ours and theirs else None

    def latency(self, name, quantile):
        """The median of the rounds' p50, p90 or p99 in ms."""
        return self.detail(name, quantile)

    def detail(self, name, key):
        found = [detail[key] for detail in self.details.get(name, []) if key in detail]
        return statistics.median(found) if found else None

    def cost(self, name):
        """Processor time and memory of the server, and the part of its answers that refuse."""
        refused = self.detail(name, "refused %")
        return (f", {self.detail(name, 'processor ms'):.2f} ms CPU"
                f", {self.detail(name, 'MiB'):.0f} MiB"
                + (f", {refused:.0f} % of answers refuse" if refused else ""))

    def figure(self, name):
        """The median, and the median of the latencies' medians, if any."""
        half, tail = self.latency(name, "p50"), self.latency(name, "p99")
        if half is None:
            return number(self.median(name))
        latency = f"{half:.2f} ms, p99 {tail:.1f}" if self.shows_tail else f"{half:.2f} ms"
        cost = self.cost(name) if self.shows_cost else ""
        return f"{number(self.median(name))} ({latency}{cost})"

    def line(self):
        others = [f"{self.figure(name)} {name}" for name in self.names[1:]]
        verdict = {True: "met", False: "**missed**", None: ""}[self.is_met]
        if self.is_met is False and self.target.tail and None not in self.medians():
            verdict = " ".join([verdict, " and ".join(self.misses())]).strip()
        cells = [
            self.what, self.unit, self.figure(self.names[0]), "; ".join(others),
            f"{self.ratio:.2f}" if self.ratio else "", self.target.words if self.target else "",
            verdict]
        return f"| {' | '.join(cells)} |"

    def record(self):
        return {
            "row": self.row, "what": self.what, "unit": self.unit, "rounds": self.rounds,
            "medians": {name: self.median(name) for name in self.names}, "ratio": self.ratio,
            "target": self.target.words if self.target else None, "met": self.is_met,
            "failures": self.failures, "details": self.details}


HEAD = "| what | unit | latchkey | yardstick | ratio | target | |\n|---|---|---|---|---|---|---|"


def clients(count):
    return "1 client" if count == 1 else f"{count} clients"


def number(value):
    if value is None:
        return "failed"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.2f}"


def machine():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
             if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.machine(), "cores": os.cpu_count(),
        "kernel": platform.release(), "load": os.getloadavg()[0],
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def commit():
    answer = subprocess.run(
        ["git", "-C", settings.ROOT, "describe", "--always", "--dirty"], capture_output=True,
        text=True, check=False)
    return answer.stdout.strip()


def write(results, before, took):
    path = settings.BUILD / "results.json"
    path.write_text(json.dumps(
        {"commit": commit(), "machine": before, "load_after": os.getloadavg()[0],
         "seconds": round(took), "results": [result.record() for result in results]}, indent=1))
    return path
