"""The bill of materials of the release executables is valid and names the linked libraries."""

import json
import pathlib
import re
import subprocess

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from judge import case, run

ROOT = pathlib.Path(__file__).parents[4]


def printed(*arguments):
    return subprocess.run(
        [ROOT / "scripts" / "bill-of-materials", *arguments], check=True, capture_output=True,
        text=True).stdout


@case
def the_document_is_valid_and_the_same_each_time():
    text = printed()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert printed() == text


@case
def every_library_is_named_with_version_and_licence():
    bill = json.loads(printed())
    # Debian has the version in a name, as in gcc-12.
    names = {re.sub(r"-\d+$", "", part["name"]) for part in bill["components"]}
    expected = {
        "swift", "openssl", "curl", "c-ares", "sqlite3", "argon2", "glibc", "postgresql"}
    assert expected <= names, names
    for part in bill["components"]:
        assert part["version"] and part["licenses"][0]["expression"], part
        assert part["purl"].startswith("pkg:"), part
    (root,) = bill["dependencies"]
    assert len(root["dependsOn"]) == len(bill["components"])


@case
def the_table_adds_up_to_the_size_of_an_executable():
    rows = [row.split("|") for row in printed("--table").splitlines()[2:]]
    total = sum(int(row[2].replace(",", "")) for row in rows) * 1024
    size = (ROOT / ".build/release/refresh").stat().st_size
    assert abs(total - size) < size / 50, (total, size)


run()
