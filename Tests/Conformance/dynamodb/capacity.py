"""Consumed capacity."""

from dynamodb._db import call, client, index, invalid, item, make, plain, put, unique, values
from harness.cases import differs


def _units(answer):
    return answer["ConsumedCapacity"]["CapacityUnits"]


def _get(key, **more):
    return client().get_item(
        TableName=plain(), Key=item(p=key), ReturnConsumedCapacity="TOTAL", **more)


def nothing_is_reported_unless_asked():
    assert "ConsumedCapacity" not in client().get_item(TableName=plain(), Key=item(p="a"))
    answer = client().get_item(
        TableName=plain(), Key=item(p="a"), ReturnConsumedCapacity="NONE")
    assert "ConsumedCapacity" not in answer


def a_read_costs_a_unit_for_four_kilobytes():
    key = unique()
    for size, units in ((10, 1), (4000, 1), (4200, 2), (12_300, 4)):
        put(plain(), p=key, x="x" * size)
        assert _units(_get(key, ConsistentRead=True)) == units, size


def units_have_a_fraction():
    answer = call("GetItem", {
        "TableName": plain(), "Key": item(p=unique()), "ReturnConsumedCapacity": "INDEXES"})
    assert answer.body == (
        b'{"ConsumedCapacity":{"TableName":"%s","CapacityUnits":0.5,'
        b'"Table":{"CapacityUnits":0.5}}}' % plain().encode())


def an_eventually_consistent_read_costs_half():
    key = unique()
    put(plain(), p=key, x="x" * 4200)
    assert _units(_get(key)) == 1 and _units(_get(unique())) == 0.5


def a_projection_costs_the_whole_item():
    key = unique()
    put(plain(), p=key, x="x" * 8200, y=1)
    assert _units(_get(key, ConsistentRead=True, ProjectionExpression="y")) == 3


def a_write_costs_a_unit_for_a_kilobyte():
    key = unique()
    for size, units in ((10, 1), (1000, 1), (1100, 2), (10, 2)):
        answer = client().put_item(
            TableName=plain(), Item=item(p=key, x="x" * size), ReturnConsumedCapacity="TOTAL")
        assert _units(answer) == units, size


def a_delete_costs_the_old_item():
    key = unique()
    put(plain(), p=key, x="x" * 2100)
    answer = client().delete_item(
        TableName=plain(), Key=item(p=key), ReturnConsumedCapacity="TOTAL")
    assert _units(answer) == 3


def an_update_costs_the_larger_item():
    key = unique()
    put(plain(), p=key, x="x" * 2100)
    answer = client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression="REMOVE x",
        ReturnConsumedCapacity="TOTAL")
    assert _units(answer) == 3


def indexes_are_reported_by_name():
    table = make(
        ["p", "c"], {"g": "S"}, GlobalSecondaryIndexes=[index("global", "g")],
        LocalSecondaryIndexes=[index("local", "p", "g")])
    consumed = client().put_item(
        TableName=table, Item=item(p="a", c="b", g="x"),
        ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert consumed["TableName"] == table and consumed["CapacityUnits"] == 3
    assert consumed["Table"]["CapacityUnits"] == 1
    assert consumed["GlobalSecondaryIndexes"]["global"]["CapacityUnits"] == 1
    assert consumed["LocalSecondaryIndexes"]["local"]["CapacityUnits"] == 1


def an_item_outside_an_index_costs_nothing_there():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("all", "g")])
    answer = client().put_item(
        TableName=table, Item=item(p="a"), ReturnConsumedCapacity="INDEXES")
    assert _units(answer) == 1 and "GlobalSecondaryIndexes" not in answer["ConsumedCapacity"]


def a_query_costs_the_sum_of_its_items():
    table = make(["p", "c"])
    for sort in "abcd":
        put(table, p="a", c=sort, x="x" * 2000)
    answer = client().query(
        TableName=table, KeyConditionExpression="p = :p", ExpressionAttributeValues=values(p="a"),
        ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    assert _units(answer) == 2


def a_filter_does_not_reduce_the_cost():
    table = make(["p", "c"])
    for sort in "abcd":
        put(table, p="a", c=sort, x="x" * 2000)
    answer = client().query(
        TableName=table, KeyConditionExpression="p = :p", ExpressionAttributeValues=values(p="a"),
        FilterExpression="attribute_exists(gone)", ConsistentRead=True, Select="COUNT",
        ReturnConsumedCapacity="TOTAL")
    assert _units(answer) == 2 and answer["Count"] == 0


@differs("the service's minimum comes from its partitions, which the emulator has not")
def a_scan_of_a_small_table_costs_four_units():
    table = make(["p"])
    put(table, p="a")
    answer = client().scan(
        TableName=table, ConsistentRead=True, ReturnConsumedCapacity="TOTAL")
    assert _units(answer) == 4


def a_choice_is_known():
    with invalid(
            "at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum "
            "value set: [INDEXES, TOTAL, NONE]"):
        client().get_item(
            TableName=plain(), Key=item(p="a"), ReturnConsumedCapacity="total")
