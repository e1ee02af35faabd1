"""Permissions of callers."""

import contextlib
import functools
import json
import os
import urllib.request

import boto3
from botocore.config import Config
from botocore.credentials import Credentials
from dynamodb._db import call, client, get, index, item, make, put, refused, values

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
        aws_session_token=credentials.get("SessionToken"),
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}))


def _assumed(*statements):
    """The credentials of a session with this policy."""
    return boto3.client("sts").assume_role(
        RoleArn="arn:aws:iam::123456789012:role/storage", RoleSessionName="judge",
        Policy=json.dumps({"Version": "2012-10-17", "Statement": statements}))["Credentials"]


def _session(*statements):
    return _with(_assumed(*statements))


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


@functools.cache
def _people():
    """A table with a partition key, a sort key and an index on `team`."""
    return make(["p", "c"], {"team": "S"}, GlobalSecondaryIndexes=[index("byTeam", "team")])


def _requests(key):
    """Each operation on one partition; operations on several items use `USER#1`, too."""
    table, attributes = {"TableName": _people()}, item(p=key, c="x", team=key)
    one = {**table, "Key": item(p=key, c="x")}
    pair = [item(p=partition, c="x") for partition in sorted({"USER#1", key})]
    bound = {"ExpressionAttributeValues": {":k": {"S": key}}}

    def query(condition, **more):
        return "query", {**table, **bound, "KeyConditionExpression": condition, **more}

    def batch(**write):
        return "batch_write_item", {"RequestItems": {_people(): [write]}}

    def transaction(**action):
        return "transact_write_items", {"TransactItems": [action]}

    return [
        ("put_item", {**table, "Item": attributes}), ("get_item", one),
        ("update_item", {
            **one, "UpdateExpression": "ADD n :k", "ExpressionAttributeValues": values(k=1)}),
        query("p = :k"), query(":k = p"),
        query("begins_with(c, :c) AND p = :k", ExpressionAttributeValues=values(k=key, c="x")),
        query("#p = :k", ExpressionAttributeNames={"#p": "p"}),
        query("team = :k", IndexName="byTeam"), ("delete_item", one),
        ("batch_get_item", {"RequestItems": {_people(): {"Keys": pair}}}),
        batch(PutRequest={"Item": attributes}), batch(DeleteRequest={"Key": one["Key"]}),
        ("transact_get_items", {"TransactItems": [{"Get": {**table, "Key": k}} for k in pair]}),
        transaction(ConditionCheck={**one, "ConditionExpression": "attribute_not_exists(q)"}),
        transaction(Put={**table, "Item": attributes}),
        transaction(Update={**one, "UpdateExpression": "REMOVE n"}), transaction(Delete=one),
    ]


def a_session_may_be_limited_to_partitions():
    table = {"TableName": _people()}
    own, other = item(p="USER#1", c="x"), item(p="USER#2", c="x")
    confined = _session({
        "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["USER#1", "OWN#*"]},
            "Null": {"dynamodb:LeadingKeys": "false"}}})
    for operation, parameters in _requests("USER#1") + _requests("OWN#a"):
        getattr(confined, operation)(**parameters)
    for operation, parameters in _requests("USER#2") + [
            # Requests without a partition, and with another one.
            ("scan", table), ("describe_table", table), ("query", table),
            ("get_item", {"TableName": "nowhere", "Key": own}),
            ("get_item", {**table, "Key": {}}), ("get_item", {**table, "Key": item(q="USER#1")}),
            ("get_item", {**table, "Key": {"p": {"BOOL": True}, "c": {"S": "x"}}}),
            ("query", {**table, "KeyConditionExpression": "p = :k OR p = :k",
                       "ExpressionAttributeValues": values(k="USER#1")}),
            ("query", {**table, "KeyConditionExpression": "p > :k",
                       "ExpressionAttributeValues": values(k="USER#1")}),
            ("query", {**table, "KeyConditionExpression": "p = :k", "IndexName": "none",
                       "ExpressionAttributeValues": values(k="USER#1")}),
            ("transact_write_items", {"TransactItems": [
                {"Put": {**table, "Item": own}}, {"Put": {**table, "Item": other}}]}),
            ("batch_get_item", {"RequestItems": {_people(): {"Keys": [own, {}]}}}),
            ("batch_get_item", {"RequestItems": {_people(): {"Keys": []}}})]:
        with refused("AccessDeniedException"):
            getattr(confined, operation)(**parameters)
            raise AssertionError(f"{operation} is allowed: {parameters}")
    assert get(_people(), p="USER#2", c="x") is None
    # The emulator's log names what was refused.
    with urllib.request.urlopen(os.environ["APP_URL"] + "/_emulator/logs") as answer:
        assert b"is not authorized to perform: dynamodb:Scan" in answer.read()


def a_leading_key_has_one_spelling():
    for kind, sent, spelled in (
            ("S", {"S": "a"}, "a"), ("N", {"N": "+01.50"}, "1.5"), ("B", {"B": b"\1\2"}, "AQI=")):
        table = make(["p"], {"p": kind})
        named = client().describe_table(TableName=table)["Table"]["TableArn"]
        for other in ("", "x"):
            caller = _session({
                "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {
                    "StringEquals": {"dynamodb:LeadingKeys": spelled + other}}})
            for name in (table, named):
                with refused("AccessDeniedException") if other else contextlib.nullcontext():
                    caller.get_item(TableName=name, Key={"p": sent})


def each_action_of_a_transaction_needs_its_permission():
    mine, other = _tables()
    actions = {
        "PutItem": {"Put": {"TableName": mine, "Item": item(p="put")}},
        "DeleteItem": {"Delete": {"TableName": other, "Key": item(p="gone")}},
        "ConditionCheckItem": {"ConditionCheck": {
            "TableName": mine, "Key": item(p="c"), "ConditionExpression": "attribute_exists(q)"}}}
    for missing in (None, *actions):
        caller = _session({
            "Effect": "Allow", "Resource": "*",
            "Action": [f"dynamodb:{name}" for name in actions if name != missing]})
        code = "AccessDeniedException" if missing else "TransactionCanceledException"
        with refused(code, f"dynamodb:{missing}" if missing else ""):
            caller.transact_write_items(TransactItems=list(actions.values()))


def a_session_may_be_limited_to_attributes():
    keys = _session({
        "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {
            "ForAllValues:StringEquals": {"dynamodb:Attributes": ["p", "c"]},
            "Null": {"dynamodb:Attributes": "false"},
            "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}})
    specific = {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "#p, c",
                "ExpressionAttributeNames": {"#p": "p"}}
    bound = {"ExpressionAttributeValues": values(v="USER#")}
    filtered = {**specific, **bound, "FilterExpression": "begins_with(p, :v)"}
    for more in (specific, filtered):
        keys.scan(TableName=_people(), **more)
    keys.query(
        TableName=_people(), KeyConditionExpression="p = :v", Select="SPECIFIC_ATTRIBUTES",
        ProjectionExpression="c", **bound)
    for more in (
            {}, {"ProjectionExpression": "p, c"}, {"Select": "ALL_ATTRIBUTES"},
            {"Select": "COUNT"},
            # An attribute in a condition only could be inferred by repeated requests.
            {**filtered, "FilterExpression": "begins_with(team, :v)"},
            {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "p, team"},
            {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "p, team.c"},
            {"Select": "SPECIFIC_ATTRIBUTES", "AttributesToGet": ["team"]}):
        with refused("AccessDeniedException"):
            keys.scan(TableName=_people(), **more)
            raise AssertionError(f"the scan is allowed: {more}")
    with refused("AccessDeniedException"):
        keys.get_item(TableName=_people(), Key=item(p="USER#1", c="x"))
    with refused("AccessDeniedException"):
        keys.query(TableName=_people(), KeyConditionExpression="p = :v", **bound)


def an_invalid_request_is_refused_before_its_permission():
    found = _assumed({"Effect": "Allow", "Action": "s3:*", "Resource": "*"})
    nobody = Credentials(
        found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
    for target, body in (("GetItem", "no JSON"), ("Unknown", "{}")):
        answer = call(target, body, credentials=nobody)
        assert answer.error in ("SerializationException", "UnknownOperationException"), answer.body
