"""The requests of a seed, sent as written except for the host: seeds/<contract>.json."""

import json
import os
import pathlib
import shlex
import urllib.error
import urllib.request

from judge import APP, case, client, run
from people import mailed, mint

CONTRACT = os.environ["CONTRACT"]
SEED = json.loads((pathlib.Path(__file__).parent / "seeds" / f"{CONTRACT}.json").read_text())
ADDRESS = "user@example.com"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Seed:
    """Sends the examples of a seed. Values from an answer are inserted into the next request."""

    def __init__(self):
        self.known = {}
        self.links = []
        self.opener = urllib.request.build_opener(Stay)

    def real(self, source):
        if source in ("apple", "google"):
            return mint(source)
        if source == "mail":
            self.links.append(mailed(ADDRESS, self.links))
            return self.links[-1]
        return self.known[source]

    def send(self, example):
        """The status and the answer, parsed."""
        if "curl" in example:
            method, url, headers, body = curl(example["curl"])
            assert url.startswith(SEED["host"] + "/"), url
            path = url.removeprefix(SEED["host"])
        else:
            method, path = example.get("request", "POST /").split(" ", 1)
            headers, body = dict(example.get("headers", {})), example.get("body")
            headers["Content-Type"] = "application/json"
        for member, source in example.get("real", {}).items():
            body[member] = self.real(source)
        if "Authorization" in headers:
            token = self.known.get("accessToken") or self.known["access_token"]
            headers["Authorization"] = f"Bearer {token}"
        if "function" in SEED:
            answer = client("lambda").invoke(
                FunctionName=SEED["function"], Payload=json.dumps(body).encode())
            return None, json.loads(answer["Payload"].read())
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(APP + path, method=method, headers=headers, data=data)
        try:
            answer = self.opener.open(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None


def curl(line):
    """The method, the URL, the headers and the body of a curl command."""
    words = iter(shlex.split(line.replace("\\\n", "")))
    assert next(words) == "curl"
    method, url, headers, body = "GET", None, {}, None
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, value = next(words).split(": ", 1)
            headers[name] = value
        elif word == "-d":
            body = json.loads(next(words))
        else:
            url = word
    return method, url, headers, body


def differences(expected, actual, place="answer"):
    """Where the names or the types of members differ. {} stands for any object."""
    if type(expected) is not type(actual):
        return [f"{place} is {actual!r}, not like {expected!r}"]
    if isinstance(expected, dict) and expected:
        names = [f"{place} has {list(actual)}"] if set(expected) != set(actual) else []
        return names + [
            difference for name in expected.keys() & actual.keys()
            for difference in differences(expected[name], actual[name], f"{place}.{name}")]
    if isinstance(expected, list):
        return [
            difference for item in actual
            for difference in differences(expected[0], item, place + "[]")]
    return []


@case
def every_example_is_answered_as_the_seed_shows_it():
    seed = Seed()
    for example in SEED["examples"]:
        what = (example["statement"], example.get("request") or example.get("curl"))
        status, answer = seed.send(example)
        assert status == example.get("status"), (what, status, answer)
        if "answer" in example:
            found = differences(example["answer"], answer)
            assert not found, (what, found)
        for name in example.get("same", []):
            assert answer[name] == example["answer"][name], (what, answer)
        for name, start in example.get("begins", {}).items():
            assert answer[name].startswith(start), (what, answer)
        if isinstance(answer, dict) and status != 401:
            seed.known.update(answer)
        print("   ", *what[:1], status, flush=True)


run()
