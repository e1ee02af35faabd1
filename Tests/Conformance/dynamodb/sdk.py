"""The SDK: types, conditions, waiters, pages, batches."""

import functools
import time
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.exceptions import WaiterError
from dynamodb._db import client, make, unique


@functools.cache
def _resource():
    return boto3.resource("dynamodb")


def _table(*keys):
    return _resource().Table(make(keys or ["p"]))


def every_type_survives_a_round_trip():
    item = {
        "p": "all", "text": "ä\0😀", "empty": "", "yes": True, "nothing": None, "whole": 7,
        "fraction": Decimal("-1.50"), "tiny": Decimal("1E-130"), "long": Decimal("1234567890" * 3),
        "bytes": Binary(bytes(range(256))), "texts": {"a", "b"}, "numbers": {1, Decimal("2.5")},
        "blobs": {Binary(b"x"), Binary(b"\0")}, "list": [1, "two", [3], {"four": 4}],
        "map": {"deep": {"er": [None, False]}},
    }
    table = _table()
    table.put_item(Item=item)
    assert table.get_item(Key={"p": "all"}, ConsistentRead=True)["Item"] == item


def waiters_know_tables():
    table = make(["p"])
    client().get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    created = client().describe_table(TableName=table)["Table"]["CreationDateTime"]
    assert abs(created.timestamp() - time.time()) < 600
    client().delete_table(TableName=table)
    client().get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    try:
        client().get_waiter("table_exists").wait(
            TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 1})
    except WaiterError:
        return
    raise AssertionError("the waiter found a table that was deleted")


def paginators_read_everything():
    table = _table("p", "c")
    with table.batch_writer(overwrite_by_pkeys=["p", "c"]) as batch:
        for number in range(70):
            batch.put_item(Item={"p": "a", "c": f"{number % 60:03}", "n": number})
        batch.put_item(Item={"p": "b", "c": "000"})
        batch.delete_item(Key={"p": "a", "c": "059"})
    query = {
        "TableName": table.name, "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}}}
    for operation, parameters, expected in (
            ("query", query, 59), ("scan", {"TableName": table.name}, 60)):
        pages = list(client().get_paginator(operation).paginate(
            **parameters, PaginationConfig={"PageSize": 7}))
        assert sum(page["Count"] for page in pages) == expected and len(pages) == 9
    names = {make(["p"]) for _ in range(3)}
    pages = client().get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2})
    assert names <= {name for page in pages for name in page["TableNames"]}
    assert names <= {table.name for table in _resource().tables.all()}


def conditions_are_written_as_expressions():
    table, item = _table(), {"p": "a", "n": 1, "tags": ["a"], "text": "prefix-1"}
    table.put_item(Item=item)
    for condition in (
            Attr("n").eq(1), Attr("n").ne(2), Attr("n").lt(2), Attr("n").between(0, 1),
            Attr("n").is_in([3, 1]), Attr("gone").not_exists(), Attr("n").exists(),
            Attr("text").begins_with("prefix"), Attr("tags").contains("a"),
            Attr("tags").size().eq(1), Attr("n").attribute_type("N"),
            Attr("n").eq(1) & ~(Attr("n").eq(2) | Attr("n").gt(5))):
        table.put_item(Item=item, ConditionExpression=condition)
        try:
            table.delete_item(Key={"p": "a"}, ConditionExpression=~condition)
            raise AssertionError("a condition and its opposite hold")
        except table.meta.client.exceptions.ConditionalCheckFailedException:
            pass
    found = table.query(KeyConditionExpression=Key("p").eq("a"))["Items"]
    assert found == [item]


def errors_have_their_classes():
    exceptions = client().exceptions
    for call, kind in (
            (lambda: client().describe_table(TableName=unique("absent")),
             exceptions.ResourceNotFoundException),
            (lambda: make(["p"], TableName=make(["p"])), exceptions.ResourceInUseException)):
        try:
            call()
        except kind:
            continue
        raise AssertionError(f"expected {kind}")
