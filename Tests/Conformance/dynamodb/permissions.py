"""Permissions of callers."""

import functools
import json

import boto3
from dynamodb._db import client, get, item, make, put, refused

_KEY = {"p": {"S": "a"}}


@functools.cache
def _tables():
    mine, other = make(["p"]), make(["p"])
    put(mine, p="a")
    return mine, other


def _with(credentials):
    return boto3.client(
        "dynamodb", aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials.get("SessionToken"))


def _session(*statements):
    return _with(boto3.client("sts").assume_role(
        RoleArn="arn:aws:iam::123456789012:role/storage", RoleSessionName="judge",
        Policy=json.dumps({"Version": "2012-10-17", "Statement": statements}))["Credentials"])


def wrong_credentials_are_refused():
    forged = {"AccessKeyId": "latchkey", "SecretAccessKey": "wrong"}
    for credentials, code, text in (
            ({**forged, "AccessKeyId": "AKIAIOSFODNN7EXAMPLE"}, "UnrecognizedClientException",
             "The security token included in the request is invalid."),
            ({**forged, "SessionToken": "forged"}, "UnrecognizedClientException",
             "The security token included in the request is invalid."),
            (forged, "InvalidSignatureException", "signature we calculated does not match")):
        with refused(code, text):
            _with(credentials).list_tables()


def a_session_may_do_what_its_policy_names():
    mine, other = _tables()
    reader = _session({
        "Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"],
        "Resource": f"arn:aws:dynamodb:us-east-1:*:table/{mine}"})
    assert "Item" in reader.get_item(TableName=mine, Key=_KEY)
    for call in (
            lambda: reader.put_item(TableName=mine, Item=_KEY),
            lambda: reader.get_item(TableName=other, Key=_KEY),
            lambda: reader.scan(TableName=mine), reader.list_tables,
            lambda: reader.batch_get_item(RequestItems={mine: {"Keys": [_KEY]}}),
            lambda: reader.transact_write_items(TransactItems=[
                {"Delete": {"TableName": mine, "Key": _KEY}}])):
        with refused("AccessDeniedException", "is not authorized to perform: dynamodb:"):
            call()
    assert get(mine, p="a") == item(p="a")


def a_denial_beats_every_permission():
    mine, other = _tables()
    both = _session(
        {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
        {"Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "*"})
    both.put_item(TableName=other, Item=_KEY)
    delete = {"TableName": other, "Key": _KEY}
    for call in (
            lambda: both.delete_item(**delete),
            lambda: both.transact_write_items(TransactItems=[
                {"Put": {"TableName": mine, "Item": item(p="b")}}, {"Delete": delete}])):
        with refused("AccessDeniedException"):
            call()
    assert get(mine, p="b") is None and client().get_item(**delete)["Item"] == _KEY
