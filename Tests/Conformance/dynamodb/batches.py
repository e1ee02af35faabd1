"""Batches."""

from dynamodb._db import (
    client, get, invalid, item, plain, put, refused, sorted_table, unique,
)


def _put(**attributes):
    return {"PutRequest": {"Item": item(**attributes)}}


def _delete(**key):
    return {"DeleteRequest": {"Key": item(**key)}}


def _write(*writes, table=None):
    return client().batch_write_item(RequestItems={table or plain(): list(writes)})


def _read(*keys, table=None, **more):
    return client().batch_get_item(
        RequestItems={table or plain(): {"Keys": list(keys), "ConsistentRead": True, **more}})


def items_are_put_and_deleted():
    old, new = unique(), unique()
    put(plain(), p=old)
    answer = _write(_put(p=new, a=1), _delete(p=old), _delete(p=unique()))
    assert answer["UnprocessedItems"] == {}
    assert get(plain(), p=new) == item(p=new, a=1) and get(plain(), p=old) is None


def several_tables_are_written_and_read():
    key = unique()
    client().batch_write_item(RequestItems={
        plain(): [_put(p=key)], sorted_table(): [_put(p=key, c="x")]})
    answer = client().batch_get_item(RequestItems={
        plain(): {"Keys": [item(p=key)]}, sorted_table(): {"Keys": [item(p=key, c="x")]}})
    assert answer["Responses"] == {plain(): [item(p=key)], sorted_table(): [item(p=key, c="x")]}
    assert answer["UnprocessedKeys"] == {}


def missing_items_are_left_out():
    key = unique()
    put(plain(), p=key)
    answer = _read(item(p=key), item(p=unique()))
    assert answer["Responses"][plain()] == [item(p=key)]


def a_batch_writes_25_items():
    keys = [unique() for _ in range(26)]
    _write(*(_put(p=key) for key in keys[:25]))
    with invalid(
            "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
            "[Member must have length less than or equal to 25, Member must have length greater "
            "than or equal to 1]"):
        _write(*(_put(p=key) for key in keys))


def a_batch_reads_100_items():
    keys = [item(p=unique()) for _ in range(101)]
    assert _read(*keys[:100])["Responses"][plain()] == []
    with invalid(
            f"Value at 'RequestItems.{plain()}.member.Keys' failed to satisfy constraint: Member "
            "must have length less than or equal to 100"):
        _read(*keys)


def all_tables_count_together():
    with invalid("Too many items requested for the BatchWriteItem call"):
        client().batch_write_item(RequestItems={
            plain(): [_put(p=unique()) for _ in range(20)],
            sorted_table(): [_put(p=unique(), c="x") for _ in range(20)]})


def a_batch_is_not_empty():
    with invalid("The requestItems parameter is required for BatchWriteItem"):
        client().batch_write_item(RequestItems={})
    with invalid("The requestItems parameter is required for BatchGetItem"):
        client().batch_get_item(RequestItems={})
    with invalid("Member must have length greater than or equal to 1"):
        _write()
    with invalid("Member must have length greater than or equal to 1"):
        _read()


def an_item_occurs_once():
    for pair in ((_put(p="a"), _put(p="a", x=1)), (_put(p="a"), _delete(p="a"))):
        with invalid("Provided list of item keys contains duplicates"):
            _write(*pair)
    with invalid("Provided list of item keys contains duplicates"):
        _read(item(p="a"), item(p="a"))


def an_invalid_item_stops_the_batch():
    key = unique()
    with invalid("One or more parameter values were invalid: Missing the key p in the item"):
        _write(_put(p=key), _put(q=1))
    with invalid("The provided key element does not match the schema"):
        _write(_put(p=key), _delete(q="x"))
    assert get(plain(), p=key) is None


def a_write_does_one_thing():
    with invalid("Supplied WriteRequest"):
        _write({**_put(p="a"), **_delete(p="b")})
    with invalid("Supplied WriteRequest"):
        _write({})


def a_missing_table_stops_the_batch():
    with refused("ResourceNotFoundException", "Requested resource not found"):
        _write(_put(p="a"), table="absent")
    with refused("ResourceNotFoundException", "Requested resource not found"):
        _read(item(p="a"), table="absent")


def a_projection_applies_to_all_items_of_a_table():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    answer = _read(
        item(p=key), ProjectionExpression="#a", ExpressionAttributeNames={"#a": "a"})
    assert answer["Responses"][plain()] == [item(a=1)]
    answer = _read(item(p=key), AttributesToGet=["b"])
    assert answer["Responses"][plain()] == [item(b=2)]


def items_beyond_the_response_limit_are_unprocessed():
    keys = [unique() for _ in range(45)]
    for key in keys:
        put(plain(), p=key, x="x" * 390_000)
    answer = _read(*(item(p=key) for key in keys))
    read = len(answer["Responses"][plain()])
    left = answer["UnprocessedKeys"][plain()]
    assert 0 < read < 45 and read + len(left["Keys"]) == 45 and left["ConsistentRead"] is True
    rest = client().batch_get_item(RequestItems=answer["UnprocessedKeys"])
    assert len(rest["Responses"][plain()]) == 45 - read


def a_batch_reports_capacity_by_table():
    answer = client().batch_write_item(
        RequestItems={plain(): [_put(p=unique()), _put(p=unique())]},
        ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": plain(), "CapacityUnits": 2.0}]
