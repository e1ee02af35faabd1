"""Shared by DynamoDB's cases: a client, tables, items, expected refusals."""

import contextlib
import decimal
import functools
import itertools
import json
import os
import re
import urllib.error
import urllib.request

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.exceptions import ClientError

_numbers = itertools.count(1)


@functools.cache
def client():
    """boto3 without its own checks, which would refuse a request before the service does."""
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    return boto3.client("dynamodb", config=config)


def unique(word="name"):
    return f"{word}-{next(_numbers)}"


def key_schema(*names):
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))
    ]


def index(name, *keys, projection="ALL", include=None):
    """An index on some attributes."""
    projected = {"ProjectionType": projection}
    if include is not None:
        projected["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": key_schema(*keys), "Projection": projected}


def definition(keys, types=None, **more):
    """The parameters of CreateTable. `keys` are one or two names; all are strings unless `types`
    has another type."""
    types = {**{name: "S" for name in keys}, **(types or {})}
    return {
        "TableName": unique("table"), "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(*keys),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
        **more,
    }


def make(keys, types=None, **more):
    parameters = definition(keys, types, **more)
    client().create_table(**parameters)
    return parameters["TableName"]


@functools.cache
def plain():
    """A table with the partition key `p`."""
    return make(["p"])


@functools.cache
def sorted_table(kind="S"):
    """A table with the partition key `p` and the sort key `c`."""
    return make(["p", "c"], {"c": kind})


def wire(value):
    """A Python value as an attribute: bytes, sets, lists and dictionaries included."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float() | decimal.Decimal():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case list():
            return {"L": [wire(part) for part in value]}
        case dict():
            return {"M": item(**value)}
        case set() | frozenset():
            kind = {str: "SS", bytes: "BS"}.get(type(next(iter(value))), "NS")
            return {kind: sorted(str(part) if kind == "NS" else part for part in value)}
    raise TypeError(value)


def item(**attributes):
    return {name: wire(value) for name, value in attributes.items()}


def values(**attributes):
    """ExpressionAttributeValues."""
    return {f":{name}": wire(value) for name, value in attributes.items()}


def used(references, expression):
    """Those of the names or values that an expression refers to."""
    return {
        name: wire(value) if name[0] == ":" else value
        for name, value in references.items() if re.search(re.escape(name) + r"\b", expression)}


def put(table, **attributes):
    client().put_item(TableName=table, Item=item(**attributes))


def fill(table, items):
    for attributes in items:
        put(table, **attributes)


def get(table, **key):
    """The item, or None."""
    answer = client().get_item(TableName=table, Key=item(**key), ConsistentRead=True)
    return answer.get("Item")


@contextlib.contextmanager
def refused(code, *texts):
    """Expects an error of the service with this code, and these texts in its message."""
    try:
        yield
    except ClientError as error:
        said = error.response["Error"]
        message = said.get("Message", "")
        assert said["Code"] == code, f"{said['Code']} instead of {code}: {message}"
        for text in texts:
            assert text in message, f"{text!r} is not in {message!r}"
    else:
        raise AssertionError(f"nothing was refused; expected {code}")


def invalid(*texts):
    return refused("ValidationException", *texts)


def refusal(call, **parameters):
    """The message of the ValidationException with which a call is refused."""
    try:
        call(**parameters)
    except ClientError as error:
        found = error.response["Error"]
        assert found["Code"] == "ValidationException", found
        return found.get("Message", "")
    return None


def compare(rows, answer):
    """Expects the last value of each row from `answer`, called with the other values."""
    wrong = [
        f"{row[:-1]}: {found!r}" for row in rows if (found := answer(*row[:-1])) != row[-1]]
    assert not wrong, "\n".join(wrong)


def failed_condition():
    return refused("ConditionalCheckFailedException", "The conditional request failed")


class Answer:
    """An HTTP response."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The error's name without its prefix."""
        return self.json["__type"].split("#")[-1]


def call(operation, body, headers=None, *, is_signed=True, credentials=None):
    """A signed request with exactly these bytes; a dictionary is sent as JSON."""
    if isinstance(body, dict):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    request = AWSRequest(
        "POST", os.environ["AWS_ENDPOINT_URL"] + "/", data=body,
        headers={
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            **(headers or {}),
        })
    if is_signed:
        credentials = credentials or boto3.Session().get_credentials()
        SigV4Auth(credentials, "dynamodb", "us-east-1").add_auth(request)
    return fetch("POST", body, dict(request.headers))


def fetch(method, body=None, headers=None, path="/"):
    request = urllib.request.Request(
        os.environ["AWS_ENDPOINT_URL"] + path, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read())
