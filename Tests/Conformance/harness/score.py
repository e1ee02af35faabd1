"""The score as a table: for the terminal and for the documentation."""

import itertools

BEGIN = "<!-- score: written by `make conformance ARGS=--write` -->"
END = "<!-- end of score -->"


def surprises(results):
    return [result for result in results if result.is_surprise]


def report(results):
    lines = []
    for service, own in _by_service(results):
        lines += ["", service]
        for category, part in _by_category(own):
            lines.append(f"  {category:44} {_fraction(part):>9}")
        lines.append(f"  {'all':44} {_fraction(own):>9}  {_percent(own)}")
    for result in results:
        if result.passed and result.is_surprise:
            lines += ["", f"PASSED, but is marked as different: {_name(result)}"]
        elif result.is_surprise:
            lines += ["", f"FAILED {_name(result)}", result.failure.rstrip()]
    known = [result for result in results if not result.passed and not result.is_surprise]
    if known:
        lines += ["", "different on purpose:"]
        lines += [f"  {_name(result)}: {result.case.difference}" for result in known]
    seconds = sum(result.seconds for result in results)
    failed = sum(1 for result in results if not result.passed)
    lines += ["", f"{len(results) - failed} passed, {failed} failed, in {seconds:.1f} s"]
    return "\n".join(lines)


def write(document, results):
    text = document.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    document.write_text(f"{head}{BEGIN}\n\n{_markdown(results)}\n\n{END}{tail}")


def _markdown(results):
    tables = []
    for service, own in _by_service(results):
        rows = [f"| {service} | passed | |", "|---|---:|---:|"]
        rows += [
            f"| {category} | {_fraction(part)} | {_percent(part)} |"
            for category, part in _by_category(own)
        ]
        rows.append(f"| **all** | **{_fraction(own)}** | **{_percent(own)}** |")
        tables.append("\n".join(rows))
    return "\n\n".join(tables)


def _by_service(results):
    return _groups(results, lambda result: result.case.service)


def _by_category(results):
    return _groups(results, lambda result: result.case.category)


def _groups(results, key):
    return [(name, list(part)) for name, part in itertools.groupby(results, key)]


def _fraction(results):
    return f"{sum(1 for result in results if result.passed)} / {len(results)}"


def _percent(results):
    return f"{100 * sum(1 for result in results if result.passed) / len(results):.1f} %"


def _name(result):
    return f"{result.case.service}, {result.case.category}: {result.case.name}"
