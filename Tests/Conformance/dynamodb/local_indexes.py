"""Local secondary indexes."""

import functools

from dynamodb._db import (
    client, definition, index, invalid, item, make, put, refused, unique, values,
)


@functools.cache
def _table():
    return make(["p", "c"], {"t": "N"}, LocalSecondaryIndexes=[
        index("keys", "p", "t", projection="KEYS_ONLY"), index("all", "p", "t"),
        index("some", "p", "t", projection="INCLUDE", include=["x"])])


def _partition():
    """A partition with three items in the index, and one that is not."""
    key = unique()
    for sort, time in (("a", 3), ("b", 1), ("c", 2)):
        put(_table(), p=key, c=sort, t=time, x=f"x{sort}", y=f"y{sort}")
    put(_table(), p=key, c="d")
    return key


def _query(key, name="keys", condition="p = :p", bound=None, **more):
    return client().query(
        TableName=_table(), IndexName=name, KeyConditionExpression=condition,
        ExpressionAttributeValues=values(p=key, **(bound or {})), **more)


def _sorts(answer):
    return "".join(entry["c"]["S"] for entry in answer["Items"])


def a_partition_has_another_order():
    key = _partition()
    assert _sorts(_query(key)) == "bca"
    assert _sorts(_query(key, ScanIndexForward=False)) == "acb"
    assert _sorts(_query(key, condition="p = :p AND t >= :t", bound={"t": 2})) == "ca"


def a_read_may_be_consistent():
    key = _partition()
    assert _sorts(_query(key, ConsistentRead=True)) == "bca"
    answer = client().scan(TableName=_table(), IndexName="keys", ConsistentRead=True)
    assert answer["Count"] >= 3


def an_index_returns_what_it_projects():
    key = _partition()
    assert _query(key)["Items"][0] == item(p=key, c="b", t=1)
    assert _query(key, "some")["Items"][0] == item(p=key, c="b", t=1, x="xb")
    assert _query(key, "all")["Items"][0] == item(p=key, c="b", t=1, x="xb", y="yb")


def other_attributes_are_fetched():
    key = _partition()
    assert _query(key, Select="ALL_ATTRIBUTES")["Items"][0]["y"] == {"S": "yb"}
    assert _query(key, ProjectionExpression="y")["Items"][0] == item(y="yb")
    answer = _query(key, FilterExpression="x = :x", bound={"x": "xc"})
    assert (answer["Count"], answer["ScannedCount"]) == (1, 3)
    assert _query(key, "some", Select="ALL_PROJECTED_ATTRIBUTES")["Items"][0] == item(
        p=key, c="b", t=1, x="xb")


def pages_follow_the_index():
    key = _partition()
    answer = _query(key, Limit=1)
    assert answer["LastEvaluatedKey"] == item(p=key, c="b", t=1)
    rest = _query(key, ExclusiveStartKey=answer["LastEvaluatedKey"])
    assert _sorts(rest) == "ca"


def items_with_equal_values_are_all_there():
    key = unique()
    for sort in "abc":
        put(_table(), p=key, c=sort, t=7)
    assert _sorts(_query(key, condition="p = :p AND t = :t", bound={"t": 7})) == "abc"


def an_update_moves_an_item():
    key = _partition()
    client().update_item(
        TableName=_table(), Key=item(p=key, c="b"), UpdateExpression="SET t = :t",
        ExpressionAttributeValues=values(t=9))
    assert _sorts(_query(key)) == "cab"


def an_index_key_has_its_type():
    with invalid("Type mismatch for Index Key t Expected: N Actual: S IndexName: keys"):
        put(_table(), p="a", c="b", t="1")


def an_index_is_described():
    found = client().describe_table(TableName=_table())["Table"]["LocalSecondaryIndexes"]
    assert [entry["IndexName"] for entry in found] == ["keys", "all", "some"]
    assert "IndexStatus" not in found[0] and "ProvisionedThroughput" not in found[0]
    assert found[0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert found[0]["IndexArn"].endswith(f":table/{_table()}/index/keys")


def _refused_definition(text, *indexes, keys=("p", "c"), **more):
    with invalid(text):
        client().create_table(**definition(
            list(keys), {"t": "N"}, LocalSecondaryIndexes=list(indexes), **more))


def a_table_needs_a_sort_key():
    _refused_definition(
        "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex", index("all", "p", "t"), keys=["p"])


def an_index_needs_a_sort_key():
    _refused_definition(
        "Index KeySchema does not have a range key for index: all", index("all", "p"))


def an_index_has_the_tables_partition_key():
    _refused_definition(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
        "all. index hash key: t, table hash key: p", index("all", "t", "c"))


def a_list_of_indexes_is_not_empty():
    _refused_definition("List of LocalSecondaryIndexes is empty")


def a_table_has_at_most_five_indexes():
    _refused_definition(
        "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        *(index(f"index{number}", "p", "t") for number in range(6)))


def global_and_local_indexes_have_different_names():
    _refused_definition(
        "Duplicate index name: same", index("same", "p", "t"),
        GlobalSecondaryIndexes=[index("same", "t")])


def both_kinds_of_index_live_in_a_table():
    table = make(
        ["p", "c"], {"t": "N"}, LocalSecondaryIndexes=[index("local", "p", "t")],
        GlobalSecondaryIndexes=[index("global", "t")])
    put(table, p="a", c="b", t=1)
    for name, condition, bound in (
            ("local", "p = :v", "a"), ("global", "t = :v", 1)):
        answer = client().query(
            TableName=table, IndexName=name, KeyConditionExpression=condition,
            ExpressionAttributeValues=values(v=bound))
        assert answer["Count"] == 1, name


def a_local_index_is_not_deleted():
    with refused("ResourceNotFoundException"):
        client().update_table(
            TableName=_table(), GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "all"}}])


def writes_report_the_size_of_the_partition():
    answer = client().put_item(
        TableName=_table(), Item=item(p="a", c="b"), ReturnItemCollectionMetrics="SIZE")
    metrics = answer["ItemCollectionMetrics"]
    assert metrics["ItemCollectionKey"] == item(p="a")
    assert len(metrics["SizeEstimateRangeGB"]) == 2
    answer = client().put_item(
        TableName=_table(), Item=item(p="a", c="b"), ReturnItemCollectionMetrics="NONE")
    assert "ItemCollectionMetrics" not in answer
