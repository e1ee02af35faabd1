"""Every OpenAPI document is valid, its examples fit, and so does every fixture of its contract."""

import base64
import functools
import json
import os
import pathlib
import re
import subprocess
import urllib.parse

from judge import case, run
from openapi_schema_validator import OAS31Validator, oas31_format_checker
from openapi_spec_validator import OpenAPIV31SpecValidator

ROOT = pathlib.Path(__file__).parents[4]
DOCUMENTS = {
    file.name.removesuffix(".openapi.json"): json.loads(file.read_text())
    for file in sorted((ROOT / "Functions" / "Templates").glob("*.openapi.json"))}
SHAPES = {
    file.name.removesuffix(".shapes.json"): json.loads(file.read_text())
    for file in (ROOT / "Events").glob("*.shapes.json")}

# Example values for the placeholders of a fixture; see Events/README.md.
SAMPLES = {
    "uuid": "9c5b94b1-35ad-49bb-b118-8e8fc24abf80", "instant": "2026-01-06T12:00:00.000Z",
    "instantSeconds": "2026-01-06T12:00:00Z", "retrySeconds": "7", "jwt": "e30.e30.e30",
    "nonce": "A" * 43, "kid": "A" * 43, "coordinate": "A" * 43, "base64url": "A" * 43,
    "text": "text",
}
INVOKE = "/2015-03-31/functions/photolala-auth-signin/invocations"
NUMBERS = {"<epochSeconds>": 1767700800, "<integer>": 3600}


class Fixture:
    def __init__(self, name, answer):
        self.name = name
        file = _json((ROOT / "Events" / f"{name}.json").read_text())
        if not isinstance(file, dict):
            file = {"event": file}
        self.event = file.get("event", file)
        self.contract = file.get("given", {}).get("contract", "latchkey")
        self.answer = self._filled(answer)

    @property
    def is_short(self):
        return isinstance(self.event, dict) and isinstance(self.event.get("request"), str)

    def _filled(self, value, member=""):
        """A response with values instead of its placeholders."""
        if isinstance(value, dict):
            return {name: self._filled(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item, member) for item in value]
        if not isinstance(value, str):
            return value
        sample = functools.partial(self._sample, member)
        return NUMBERS.get(value) or re.sub("<([A-Za-z]+)>", sample, value)

    def _sample(self, member, match):
        if match[1] in SAMPLES:
            return SAMPLES[match[1]]
        # Any other name is a shape of the contract, or a value that was saved.
        shapes = SHAPES[self.contract]
        shape = shapes.get(match[1]) or shapes.get(member) or "<uuid>"
        return "e30.e30.e30" if isinstance(shape, dict) else self._filled(shape)

    @property
    def is_answered(self):
        """Whether it is an answer to a request, not of an authorizer, for example."""
        return self.is_photolala_sign_in or "statusCode" in self.answer

    @property
    def is_photolala_sign_in(self):
        """The answer of the one operation that an app invokes directly."""
        return self.contract == "photolala" and self.name.startswith("signin/")

    @property
    def route(self):
        """The method and the path, or None for another event than a request."""
        event = self.event if isinstance(self.event, dict) else {}
        if self.is_short:
            method, target = event["request"].split(" ", 1)
        elif isinstance(event.get("httpMethod"), str):
            method, target = event["httpMethod"], event.get("path", "")
        else:
            http = (event.get("requestContext") or {}).get("http") or {}
            method, target = http.get("method"), event.get("rawPath")
            if not method or not target:
                return ("POST", INVOKE) if self.is_photolala_sign_in else None
        return method, urllib.parse.urlsplit(target).path


def _json(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _answers():
    command = [os.environ["EMULATOR"], "event", ROOT / "Events", "--answer"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


# Not the refusals, which have no files.
FIXTURES = [
    Fixture(name, answer) for name, answer in _answers().items()
    if (ROOT / "Events" / f"{name}.json").exists()]


def resolved(document, part):
    while "$ref" in part:
        name = part["$ref"].removeprefix("#/").split("/")
        part = document
        for step in name:
            part = part[step]
    return part


def operation(document, method, path):
    for template, item in document["paths"].items():
        pattern = re.sub(r"\\{[^/]*\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            return item.get(method.lower())
    return None


def problems(document, content, media_type, body):
    if media_type not in content:
        return [f"{media_type or 'no media type'} instead of {', '.join(content)}"]
    schema = {**document, **content[media_type]["schema"]}
    validator = OAS31Validator(schema, format_checker=oas31_format_checker)
    return [
        f"{error.json_path}: {error.message}" for error in validator.iter_errors(body)
        # <text> stands for any text of any form.
        if error.instance != SAMPLES["text"] or error.validator not in ("pattern", "format")]


def undocumented(fixture):
    """How the answer of a fixture differs from the document of its contract."""
    document = DOCUMENTS[fixture.contract]
    described = operation(document, *fixture.route)
    if described is None:
        # An unknown route of the contract's functions: 404 or 405.
        return []
    if fixture.route[1] == INVOKE:
        content = described["responses"]["200"]["content"]
        return problems(document, content, "application/json", fixture.answer)
    status = str(fixture.answer["statusCode"])
    if status not in described["responses"]:
        return [f"{status} is not in the document"]
    answer = resolved(document, described["responses"][status])
    headers = {name.lower(): value for name, value in fixture.answer.get("headers", {}).items()}
    body, media_type = fixture.answer.get("body", ""), headers.get("content-type")
    if "content" not in answer:
        return [] if body == "" else ["a body, which is not in the document"]
    media_type = (media_type or "").split(";")[0]
    if fixture.answer.get("isBase64Encoded"):
        body = base64.b64decode(body).decode()
    return problems(document, answer["content"], media_type, body)


@case
def every_document_is_valid():
    for name, document in DOCUMENTS.items():
        assert document["openapi"].startswith("3.1."), name
        errors = list(OpenAPIV31SpecValidator(document).iter_errors())
        assert not errors, (name, errors)


@case
def every_example_fits_its_schema():
    for name, document in DOCUMENTS.items():
        for path, item in document["paths"].items():
            for method, described in item.items():
                content = described.get("requestBody", {}).get("content", {})
                for media_type, media in content.items():
                    if "example" in media:
                        found = problems(
                            document, {media_type: media}, media_type, media["example"])
                        assert not found, (name, method, path, found)


@case
def every_fixture_is_as_documented():
    checked = 0
    failed = []
    for fixture in FIXTURES:
        if not fixture.route or not fixture.is_answered:
            continue
        checked += 1
        failed += [(fixture.name, problem) for problem in undocumented(fixture)]
    print(checked, "answers")
    assert checked > 100
    assert not failed, "\n".join(f"{name}: {problem}" for name, problem in failed)


@case
def every_body_that_was_accepted_is_as_documented():
    failed = []
    for fixture in FIXTURES:
        body = fixture.event.get("body") if isinstance(fixture.event, dict) else None
        if not fixture.route or not isinstance(body, dict):
            continue
        document = DOCUMENTS[fixture.contract]
        described = operation(document, *fixture.route) or {}
        content = described.get("requestBody", {}).get("content", {})
        if content and fixture.answer.get("statusCode", 200) < 400:
            found = problems(document, content, "application/json", fixture._filled(body))
            failed += [(fixture.name, problem) for problem in found]
    assert not failed, "\n".join(f"{name}: {problem}" for name, problem in failed)


run()
