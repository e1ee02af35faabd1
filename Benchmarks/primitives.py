"""Row `primitives`: the primitives of the functions, beside well-known programs.

All are measured by processor time, as `openssl speed` does.
"""

import json
import os
import re
import subprocess
import time

import orjson
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

import settings
from load import CREDENTIALS
from report import Target

OURS = "latchkey"
# The minimum share of the rate of `openssl speed`.
SIGNATURE_SHARE = 0.9
# The minimum share of the rate of the program `argon2`.
ARGON2_SHARE = 0.95
# The cost of password hashes: Argon2id.Cost.standard.
ARGON2_COST = {"-t": 2, "-k": 19 * 1024, "-p": 1, "-l": 32}
ARGON2_RUNS = 5

# Name here: (algorithm of `openssl speed`, index in the last two columns).
SIGNATURES = {
    "es256-sign": ("ecdsap256", -2), "es256-verify": ("ecdsap256", -1),
    "ed25519-sign": ("ed25519", -2), "ed25519-verify": ("ed25519", -1),
    "rs256-sign": ("rsa2048", -2), "rs256-verify": ("rsa2048", -1),
}


def primitives(bench):
    for name, (algorithm, column) in SIGNATURES.items():
        bench.compare("primitives", name, "1/s", {
            OURS: lambda name=name: ours(bench, name),
            "openssl speed": lambda algorithm=algorithm, column=column: openssl(
                bench, algorithm, column),
        }, Target.times(SIGNATURE_SHARE))
    bench.compare("primitives", "argon2id, 19 MiB, 2 passes", "1/s", {
        OURS: lambda: ours(bench, "argon2id"), "argon2": lambda: argon2()},
        Target.times(ARGON2_SHARE))
    for title, document in documents().items():
        file = bench.folder / "document"
        megabytes = len(document) / 1e6

        def parsed(parse, document=document, megabytes=megabytes):
            return lambda: rate(bench, lambda: parse(document)) * megabytes

        file.write_bytes(document)
        bench.compare("primitives", f"JSON, {title}", "MB/s", {
            OURS: lambda file=file, megabytes=megabytes: ours(bench, "json", file) * megabytes,
            "Python's json": parsed(json.loads), "orjson": parsed(orjson.loads)})
    for title, size in {"1 KB": 1000, "1 MB": 1_000_000}.items():
        file = bench.folder / "body"
        file.write_bytes(os.urandom(size))
        bench.compare("primitives", f"Signature Version 4, body of {title}", "MB/s", {
            OURS: lambda file=file, size=size: ours(bench, "sigv4", file) * size / 1e6,
            "botocore": lambda file=file, size=size: rate(
                bench, lambda: sign(file.read_bytes())) * size / 1e6})


def ours(bench, name, *arguments):
    return float(subprocess.run(
        [settings.PRIMITIVES, name, str(bench.seconds), *arguments],
        capture_output=True, text=True, check=True).stdout)


def openssl(bench, algorithm, column):
    """Machine-readable lines: +F4:3:256:<signatures per second>:<verifications per second>."""
    printed = subprocess.run(
        ["openssl", "speed", "-mr", "-seconds", str(max(1, round(bench.seconds))), algorithm],
        capture_output=True, text=True, check=True).stdout
    line = next(line for line in printed.splitlines() if re.match(r"\+F\d", line))
    return float(line.split(":")[column])


def argon2():
    options = [str(part) for option in ARGON2_COST.items() for part in option]
    took = 0.0
    for _ in range(ARGON2_RUNS):
        printed = subprocess.run(
            ["argon2", "somesaltsomesalt", "-id", *options], input="z" * 36,
            capture_output=True, text=True, check=True).stdout
        took += float(re.search(r"([0-9.]+) seconds", printed)[1])
    return ARGON2_RUNS / took


def documents():
    fixture = json.loads((settings.ROOT / "Events/authorizer/store-down.json").read_text())
    items = [
        {"id": number, "name": f"item {number}", "tags": ["a", "b\u00e9"], "price": number / 7,
         "isActive": number % 2 == 0, "owner": None} for number in range(8000)]
    event = json.dumps(fixture["event"], indent=2)
    return {"an event of 1.6 KB": event.encode(), "800 KB": json.dumps(items).encode()}


def rate(bench, work):
    work()
    count = 0
    began = time.process_time()
    while (took := time.process_time() - began) < bench.seconds:
        work()
        count += 1
    return count / took


def sign(body):
    request = AWSRequest(
        "POST", "https://dynamodb.us-east-1.amazonaws.com/",
        {"X-Amz-Target": "DynamoDB_20120810.GetItem"}, body)
    SigV4Auth(CREDENTIALS, "dynamodb", "us-east-1").add_auth(request)
