"""Global secondary indexes."""

import functools

from dynamodb._db import (
    client, definition, fill, get, index, invalid, item, make, put, unique, values,
)
from harness.cases import differs


@functools.cache
def _table():
    """Three indexes on `g`, one of them sorted by `n`, with different projections."""
    return make(["p"], {"g": "S", "n": "N"}, GlobalSecondaryIndexes=[
        index("all", "g", "n"), index("keys", "g", projection="KEYS_ONLY"),
        index("some", "g", projection="INCLUDE", include=["x"])])


def _query(name, key, condition="g = :g", bound=None, **more):
    return client().query(
        TableName=_table(), IndexName=name, KeyConditionExpression=condition,
        ExpressionAttributeValues=values(g=key, **(bound or {})), **more)


def _put(**attributes):
    """An item with a new value of `g`, which is returned."""
    key = unique()
    put(_table(), p=key, g=key, **attributes)
    return key


def an_index_returns_what_it_projects():
    key = _put(n=1, x="x", y="y")
    assert _query("all", key)["Items"] == [item(p=key, g=key, n=1, x="x", y="y")]
    assert _query("keys", key)["Items"] == [item(p=key, g=key)]
    assert _query("some", key)["Items"] == [item(p=key, g=key, x="x")]


def an_item_without_the_key_is_not_in_the_index():
    key = _put(x="x")
    assert _query("all", key)["Items"] == [] and _query("keys", key)["Count"] == 1


def several_items_can_have_the_same_index_key():
    group = unique()
    for number in range(3):
        put(_table(), p=unique(), g=group, n=7)
    assert _query("all", group)["Count"] == 3


def an_update_moves_the_item():
    key, other = _put(n=1), unique()
    client().update_item(
        TableName=_table(), Key=item(p=key), UpdateExpression="SET g = :g",
        ExpressionAttributeValues=values(g=other))
    assert _query("all", key)["Count"] == 0 and _query("all", other)["Count"] == 1


def an_update_changes_what_is_projected():
    key = _put(n=1)
    client().update_item(
        TableName=_table(), Key=item(p=key), UpdateExpression="SET x = :n, n = :n",
        ExpressionAttributeValues=values(n=5))
    assert _query("some", key)["Items"] == [item(p=key, g=key, x=5)]
    assert _query("all", key)["Items"] == [item(p=key, g=key, n=5, x=5)]


def removing_the_key_removes_from_the_index():
    key = _put(n=1)
    client().update_item(TableName=_table(), Key=item(p=key), UpdateExpression="REMOVE n")
    assert _query("all", key)["Count"] == 0 and _query("keys", key)["Count"] == 1


def deleting_the_item_removes_from_the_index():
    key = _put(n=1)
    client().delete_item(TableName=_table(), Key=item(p=key))
    assert _query("all", key)["Count"] == 0


def an_index_is_sorted_and_has_ranges():
    group = unique()
    fill(_table(), ({"p": unique(), "g": group, "n": number} for number in (3, 1, 2)))
    found = _query("all", group, "g = :g AND n > :n", {"n": 1}, ScanIndexForward=False)
    assert [int(entry["n"]["N"]) for entry in found["Items"]] == [3, 2]


def an_index_is_read_in_pages():
    group = unique()
    fill(_table(), ({"p": unique(), "g": group, "n": 1} for _ in range(5)))
    found, start = [], {}
    while True:
        answer = _query("all", group, Limit=2, **start)
        found += [entry["p"]["S"] for entry in answer["Items"]]
        if "LastEvaluatedKey" not in answer:
            break
        assert set(answer["LastEvaluatedKey"]) == {"p", "g", "n"}
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert len(found) == len(set(found)) == 5


def a_start_key_has_all_keys():
    group = unique()
    for start in (item(p="a", g=group), item(g=group, n=1), item(p="a", g=group, n=1, x=1)):
        with invalid("The provided starting key is invalid"):
            _query("all", group, ExclusiveStartKey=start)
    with invalid("The provided starting key is outside query boundaries"):
        _query("all", group, ExclusiveStartKey=item(p="a", g="other", n=1))


def an_index_is_scanned():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("all", "g")])
    fill(table, [{"p": "a", "g": "x"}, {"p": "b"}, {"p": "c", "g": "y"}])
    answer = client().scan(TableName=table, IndexName="all")
    assert sorted(entry["p"]["S"] for entry in answer["Items"]) == ["a", "c"]
    page = client().scan(TableName=table, IndexName="all", Limit=1)
    assert set(page["LastEvaluatedKey"]) == {"p", "g"}


def an_index_is_not_read_consistently():
    with invalid("Consistent reads are not supported on global secondary indexes"):
        _query("all", "a", ConsistentRead=True)
    with invalid("Consistent reads are not supported on global secondary indexes"):
        client().scan(TableName=_table(), IndexName="all", ConsistentRead=True)


def an_index_has_no_other_attributes():
    with invalid(
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
            "supported for global secondary index keys because its projection type is not ALL"):
        _query("keys", "a", Select="ALL_ATTRIBUTES")
    with invalid("Global secondary index some does not project [y]"):
        _query("some", "a", ProjectionExpression="x, y")
    assert _query("some", _put(x=1), Select="ALL_PROJECTED_ATTRIBUTES")["Count"] == 1


def a_filter_may_have_the_tables_key():
    key = _put(n=1)
    answer = _query(
        "all", key, FilterExpression="p = :p", bound={"p": key})
    assert answer["Count"] == 1
    with invalid("Filter Expression can only contain non-primary key attributes"):
        _query("all", key, FilterExpression="n = :n", bound={"n": 1})


def an_index_key_has_its_type():
    for write in (
            lambda: put(_table(), p="a", g=1),
            lambda: client().update_item(
                TableName=_table(), Key=item(p="a"), UpdateExpression="SET g = :g",
                ExpressionAttributeValues=values(g=1)),
            lambda: client().batch_write_item(RequestItems={
                _table(): [{"PutRequest": {"Item": item(p="a", g=1)}}]})):
        with invalid("Type mismatch for Index Key g Expected: S Actual: N IndexName: all"):
            write()
    assert get(_table(), p="a") is None


def an_index_key_is_not_empty():
    with invalid(
            "A value specified for a secondary index key is not supported. The AttributeValue for "
            "a key attribute cannot contain an empty string value. IndexName: all, IndexKey: g"):
        put(_table(), p="a", g="")


def an_index_key_has_a_size():
    put(_table(), p=unique(), g="g" * 2048)
    with invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"):
        put(_table(), p=unique(), g="g" * 2049)


def an_index_key_is_no_document():
    with invalid(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: IndexKey: g"):
        client().update_item(
            TableName=_table(), Key=item(p="a"), UpdateExpression="SET g.x = :v",
            ExpressionAttributeValues=values(v=1))


def an_index_is_described():
    found = client().describe_table(TableName=_table())["Table"]["GlobalSecondaryIndexes"]
    described = {entry["IndexName"]: entry for entry in found}
    assert described["all"]["KeySchema"] == [
        {"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]
    assert described["some"]["Projection"] == {
        "ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}
    assert described["keys"]["IndexStatus"] == "ACTIVE"
    assert described["keys"]["IndexArn"].endswith(f":table/{_table()}/index/keys")


def _refused_definition(text, *indexes, types=None, **more):
    with invalid(text):
        client().create_table(**definition(
            ["p"], types or {"g": "S"}, GlobalSecondaryIndexes=list(indexes), **more))


def a_list_of_indexes_is_not_empty():
    _refused_definition("List of GlobalSecondaryIndexes is empty")


def a_tables_indexes_have_different_names():
    _refused_definition(
        "One or more parameter values were invalid: Duplicate index name: same",
        index("same", "g"), index("same", "g"))


def an_indexs_key_is_defined():
    _refused_definition(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [q], "
        "AttributeDefinitions: [p, g]", index("all", "q"))


def a_projection_is_complete():
    _refused_definition("Unknown ProjectionType: null", {**index("all", "g"), "Projection": {}})
    _refused_definition(
        "ProjectionType is ALL, but NonKeyAttributes is specified",
        index("all", "g", include=["x"]))
    _refused_definition(
        "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        index("all", "g", projection="INCLUDE"))
    _refused_definition(
        "Duplicate", index("all", "g", projection="INCLUDE", include=["x", "x"]))


def a_table_has_at_most_20_indexes():
    _refused_definition(
        "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        *(index(f"index{number}", "g") for number in range(21)))


def an_index_on_demand_has_no_throughput():
    _refused_definition(
        "ProvisionedThroughput should not be specified for index: all when BillingMode is "
        "PAY_PER_REQUEST",
        {**index("all", "g"),
         "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}})


@differs("an index has one partition key and one sort key")
def an_index_key_has_up_to_eight_attributes():
    kinds = ["HASH", "HASH", "RANGE", "RANGE"]
    schema = [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip("abcd", kinds)]
    make(["p"], {name: "S" for name in "abcd"}, GlobalSecondaryIndexes=[
        {**index("many", "a"), "KeySchema": schema}])


def an_indexs_name_has_a_form():
    _refused_definition(
        "at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must "
        "have length greater than or equal to 3", index("ab", "g"))
