"""Hooks of schemathesis: valid credentials and values, which it cannot generate."""

import json
import os
import pathlib
import random

import schemathesis
from openapi_contract import CONTRACT

# Not the random generator that hypothesis manages.
chance = random.Random(1)
seen = pathlib.Path(os.environ["HOME"], "seen")
# The credentials of invalid requests, by operation: a refused request leaves its session as it was.
of_invalid = {}


def is_positive(case):
    """Whether the case is valid by the document."""
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.auth(refresh_interval=None)
class SignedIn:
    def get(self, case, context):
        if not case.operation.definition.raw.get("security"):
            return {}
        if is_positive(case):
            return CONTRACT.credentials(case.operation.path)
        label = case.operation.label
        if label not in of_invalid:
            of_invalid[label] = CONTRACT.credentials(case.operation.path)
        return of_invalid[label]

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), **data}


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = case.headers or {}
    # A redirect is an answer and is not followed: its target is another route.
    kwargs["allow_redirects"] = False
    if CONTRACT.signed:
        kwargs["auth"] = CONTRACT.signed
    case.headers["X-Forwarded-For"] = ".".join(str(chance.randrange(1, 255)) for _ in range(4))
    if not is_positive(case) or chance.random() < 0.2:
        return
    if isinstance(case.body, dict):
        case.body.update(CONTRACT.body(case.operation.path) or {})
    case.path_parameters = CONTRACT.path(case.operation.path) or case.path_parameters


@schemathesis.hook
def after_call(context, case, response):
    # An invalid part may be ignored, such as an unknown header, and the session be over.
    if response.status_code < 400:
        of_invalid.pop(case.operation.label, None)
    with seen.open("a") as file:
        file.write(json.dumps([case.operation.label, response.status_code]) + "\n")
