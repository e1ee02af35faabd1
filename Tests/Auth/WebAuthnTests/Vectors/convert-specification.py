#!/usr/bin/env python3
"""Converts the test vectors of WebAuthn section 16 to JSON.

usage: convert-specification.py INDEX.BS > specification.json

Only the values are kept: one line per case and ceremony, hexadecimal.
"""
import json
import re
import sys

MEMBERS = {
    "registration": ["challenge", "clientDataJSON", "attestationObject"],
    "authentication": ["challenge", "authenticatorData", "clientDataJSON", "signature"],
}


def values(text):
    return dict(re.findall(r"^(\w+) = h'([0-9a-f]*)'", text, re.MULTILINE))


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    begin = text.index("<!-- GENERATED CONTENT: Use test-vectors/webauthn-test-vectors.py -->")
    end = text.index("<!-- END GENERATED CONTENT: Use test-vectors/webauthn-test-vectors.py -->")
    sections = re.split(r"^## .*\{#sctn-test-vectors-([a-zA-Z0-9-]+)\}$", text[begin:end],
                        flags=re.MULTILINE)
    cases = []
    for name, body in zip(sections[1::2], sections[2::2]):
        blocks = re.findall(r"<xmp[^>]*>(.*?)</xmp>", body, re.DOTALL)
        if len(blocks) != 2:
            continue  # the root certificate
        case = {"name": name}
        for (ceremony, members), block in zip(MEMBERS.items(), blocks):
            found = values(block)
            case[ceremony] = {member: found[member] for member in members}
        info = re.search(r"info='([^']+)'", blocks[0]).group(1)
        case["info"] = info
        found = values(blocks[0])
        case["expected"] = {"aaguid": found["aaguid"], "credentialId": found["credential_id"]}
        cases.append(case)
    json.dump({"rpId": "example.org", "origin": "https://example.org",
               "topOrigin": "https://example.com", "cases": cases}, sys.stdout, indent=1)
    print()


main()
