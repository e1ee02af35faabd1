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


@schemathesis.auth(refresh_interval=None)
class SignedIn:
    def get(self, case, context):
        secured = case.operation.definition.raw.get("security")
        return CONTRACT.credentials(case.operation.path) if secured else {}

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
    if case.meta is None or not case.meta.generation.mode.is_positive or chance.random() < 0.2:
        return
    if isinstance(case.body, dict):
        case.body.update(CONTRACT.body(case.operation.path) or {})
    case.path_parameters = CONTRACT.path(case.operation.path) or case.path_parameters


@schemathesis.hook
def after_call(context, case, response):
    with seen.open("a") as file:
        file.write(json.dumps([case.operation.label, response.status_code]) + "\n")
