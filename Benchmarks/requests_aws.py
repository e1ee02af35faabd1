"""The requests of the measured operations, the same for every contender."""

import json
import urllib.parse

import settings
from load import Request

# Each connection cycles through these, so that no server benefits from a single cached row.
KEYS = [f"item-{number:04}" for number in range(64)]
OBJECT_MARK = "0123456789"
OBJECT = OBJECT_MARK.encode() * 1024
assert len(OBJECT) == 10240
CARGO = "x" * 100


def database(operation, body):
    return Request(
        "POST", "/",
        {"Content-Type": "application/x-amz-json-1.0",
         "X-Amz-Target": f"DynamoDB_20120810.{operation}"},
        json.dumps(body).encode(), "dynamodb")


def create_table(name=settings.TABLE):
    return database("CreateTable", {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    })


def item(key):
    return {"pk": {"S": key}, "n": {"N": "0"}, "cargo": {"S": CARGO}}


def put_item(key, table=settings.TABLE):
    return database("PutItem", {"TableName": table, "Item": item(key)})


def get_item(key, table=settings.TABLE):
    return database("GetItem", {
        "TableName": table, "Key": {"pk": {"S": key}}, "ConsistentRead": True})


def increment(key, table=settings.TABLE):
    return {
        "TableName": table, "Key": {"pk": {"S": key}},
        "UpdateExpression": "SET n = n + :one",
        "ConditionExpression": "attribute_exists(pk) AND n >= :zero",
        "ExpressionAttributeValues": {":one": {"N": "1"}, ":zero": {"N": "0"}},
    }


def update_item(key):
    return database("UpdateItem", increment(key))


def transact_write(key):
    # Without a ClientRequestToken: a replayed one would be idempotent and do no work.
    return database("TransactWriteItems", {"TransactItems": [
        {"Update": increment(key)},
        {"Put": {"TableName": settings.TABLE, "Item": item(f"{key}-log")}},
    ]})


def batch_write(keys, table):
    return database("BatchWriteItem", {"RequestItems": {table: [
        {"PutRequest": {"Item": item(key)}} for key in keys
    ]}})


def create_bucket():
    return Request("PUT", f"/{settings.BUCKET}", {}, b"", "s3")


def put_object(key):
    return Request(
        "PUT", f"/{settings.BUCKET}/{key}", {"Content-Type": "application/octet-stream"}, OBJECT,
        "s3")


def get_object(key):
    return Request("GET", f"/{settings.BUCKET}/{key}", {}, b"", "s3")


def assume_role(session):
    form = {"Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": settings.ROLE_ARN,
            "RoleSessionName": session}
    return Request(
        "POST", "/", {"Content-Type": "application/x-www-form-urlencoded"},
        urllib.parse.urlencode(form).encode(), "sts")


def create_role():
    trust = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
    form = {"Action": "CreateRole", "Version": "2010-05-08", "RoleName": settings.ROLE,
            "AssumeRolePolicyDocument": json.dumps(trust)}
    return Request(
        "POST", "/", {"Content-Type": "application/x-www-form-urlencoded"},
        urllib.parse.urlencode(form).encode(), "iam")


def invoke(function, payload=b"{}"):
    return Request(
        "POST", f"/2015-03-31/functions/{function}/invocations",
        {"Content-Type": "application/json"}, payload)


def route(path):
    """A request as sent by a browser, from which the gateway builds an event."""
    return Request(
        "GET", f"{path}?page=1&tag=a&tag=b",
        {"Accept": "application/json", "User-Agent": "bench/1", "Cookie": "a=1; b=2",
         "X-Request-Source": "bench"})


# The compared operations: title, request by key, and the required text of every answer.
DATABASE = [
    ("GetItem", get_item, CARGO),
    ("PutItem", put_item, "{}"),
    ("UpdateItem with a condition", update_item, "{"),
    ("TransactWriteItems of 2", transact_write, "{}"),
]
OBJECTS = [
    ("S3 put of 10 KB", put_object, ""),
    ("S3 get of 10 KB", get_object, OBJECT_MARK),
    ("STS AssumeRole", assume_role, "<SecretAccessKey>"),
]
