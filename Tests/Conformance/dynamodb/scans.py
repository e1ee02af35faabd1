"""Scans: filters, pages, segments."""

import functools

from dynamodb._db import client, fill, get, invalid, item, make, put, refused, unique, values


@functools.cache
def _table():
    table = make(["p", "c"], {"c": "N"})
    fill(table, ({"p": f"p{number % 7}", "c": number, "n": number} for number in range(40)))
    return table


def _all(**more):
    """The numbers of all pages."""
    found, start = [], {}
    while True:
        answer = client().scan(TableName=_table(), **more, **start)
        found += [int(entry["c"]["N"]) for entry in answer["Items"]]
        if "LastEvaluatedKey" not in answer:
            return sorted(found)
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def every_item_is_read():
    assert _all() == list(range(40))
    assert _all(ConsistentRead=True) == list(range(40))


def pages_have_the_limits_size():
    assert _all(Limit=7) == list(range(40))
    answer = client().scan(TableName=_table(), Limit=7)
    assert answer["Count"] == 7 and set(answer["LastEvaluatedKey"]) == {"p", "c"}


def a_page_has_at_most_a_megabyte():
    table = make(["p"])
    fill(table, ({"p": str(number), "x": "x" * 300_000} for number in range(5)))
    answer = client().scan(TableName=table)
    assert answer["Count"] == 4 and "LastEvaluatedKey" in answer


def a_partition_is_read_in_order():
    answer = client().scan(TableName=_table())
    numbers = [entry["c"]["N"] for entry in answer["Items"] if entry["p"]["S"] == "p3"]
    assert numbers == sorted(numbers, key=int)


def segments_have_every_item_once():
    for total in (1, 2, 5, 50):
        found = []
        for segment in range(total):
            found += _all(Segment=segment, TotalSegments=total, Limit=3)
        assert sorted(found) == list(range(40)), total


def a_segment_has_a_total():
    with invalid(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"):
        client().scan(TableName=_table(), Segment=0)
    with invalid(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"):
        client().scan(TableName=_table(), TotalSegments=2)


def a_segment_is_less_than_the_total():
    with invalid(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 5 is not less than TotalSegments: 5"):
        client().scan(TableName=_table(), Segment=5, TotalSegments=5)


def there_are_at_most_a_million_segments():
    with invalid("at 'totalSegments' failed to satisfy constraint: Member must have value less"):
        client().scan(TableName=_table(), Segment=0, TotalSegments=1_000_001)
    with invalid("at 'segment' failed to satisfy constraint: Member must have value greater than"):
        client().scan(TableName=_table(), Segment=-1, TotalSegments=2)


def a_segment_is_resumed_in_itself():
    with invalid(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            "ExclusiveStartKey with correct Segment. TotalSegments: 1000000 Segment: 0"):
        client().scan(
            TableName=_table(), Segment=0, TotalSegments=1_000_000,
            ExclusiveStartKey=item(p="p1", c=1))


def a_filter_keeps_items():
    answer = client().scan(
        TableName=_table(), FilterExpression="n >= :v AND c < :w",
        ExpressionAttributeValues=values(v=10, w=20))
    assert (answer["Count"], answer["ScannedCount"]) == (10, 40)


def a_filter_is_checked():
    with invalid("Invalid FilterExpression: The expression can not be empty;"):
        client().scan(TableName=_table(), FilterExpression="")
    with invalid(
            "Invalid FilterExpression: An expression attribute name used in the document path is "
            "not defined; attribute name: #n"):
        client().scan(
            TableName=_table(), FilterExpression="#n = :v",
            ExpressionAttributeValues=values(v=1))
    with invalid(
            "ExpressionAttributeValues can only be specified when using expressions: "
            "FilterExpression is null"):
        client().scan(TableName=_table(), ExpressionAttributeValues=values(v=1))


def a_limit_is_positive():
    with invalid(
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"):
        client().scan(TableName=_table(), Limit=0)


def items_are_counted():
    answer = client().scan(TableName=_table(), Select="COUNT")
    assert answer["Count"] == 40 and "Items" not in answer


def a_projection_selects_attributes():
    answer = client().scan(TableName=_table(), ProjectionExpression="n")
    assert all(set(entry) == {"n"} for entry in answer["Items"])


def a_start_key_matches_the_schema():
    for start in (item(p="p1"), item(p="p1", c="x"), item(p="p1", c=1, x=1)):
        with invalid("The provided starting key is invalid"):
            client().scan(TableName=_table(), ExclusiveStartKey=start)


def an_empty_table_has_no_items():
    answer = client().scan(TableName=make(["p"]))
    assert answer["Items"] == [] and (answer["Count"], answer["ScannedCount"]) == (0, 0)


def a_deleted_item_is_not_read():
    table, key = make(["p"]), unique()
    put(table, p=key)
    client().delete_item(TableName=table, Key=item(p=key))
    assert client().scan(TableName=table)["Count"] == 0 and get(table, p=key) is None


def a_scanned_table_exists():
    with refused("ResourceNotFoundException", "Requested resource not found"):
        client().scan(TableName="absent")


def violations_are_reported_together():
    with invalid("2 validation errors detected: ", "'limit'", "'returnConsumedCapacity'"):
        client().scan(TableName=_table(), Limit=0, ReturnConsumedCapacity="much")
