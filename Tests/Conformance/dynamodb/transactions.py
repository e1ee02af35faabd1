"""Transactions."""

import contextlib
import threading

from dynamodb._db import (
    call, client, get, index, invalid, item, make, plain, put, refused, sorted_table, unique,
    values,
)


def _part(kind, key=None, table=None, condition=None, bound=None, **more):
    """An action on the item with that key; a put writes only the key unless `Item` is given."""
    part = {"TableName": table or plain(), **more}
    if kind == "Put":
        part.setdefault("Item", item(p=key))
    else:
        part.setdefault("Key", item(p=key))
    if condition:
        part["ConditionExpression"] = condition
    if bound:
        part["ExpressionAttributeValues"] = values(**bound)
    return {kind: part}


def _update(key, expression, **more):
    return _part("Update", key, UpdateExpression=expression, **more)


def _write(*parts, **more):
    return client().transact_write_items(TransactItems=list(parts), **more)


def _read(*gets, **more):
    return client().transact_get_items(TransactItems=list(gets), **more)["Responses"]


@contextlib.contextmanager
def _cancelled(*codes):
    """Expects a cancellation with these reasons, which can be examined afterwards."""
    reasons = []
    try:
        yield reasons
    except client().exceptions.TransactionCanceledException as error:
        reasons += error.response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == list(codes), reasons
        assert error.response["Error"]["Message"] == (
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{', '.join(codes)}]")
    else:
        raise AssertionError("the transaction was not cancelled")


def all_actions_happen():
    new, old, gone, checked = unique(), unique(), unique(), unique()
    for key in (old, gone, checked):
        put(plain(), p=key, a=1)
    answer = _write(
        _part("Put", Item=item(p=new, b=2)), _update(old, "SET a = a + :v", bound={"v": 1}),
        _part("Delete", gone), _part("ConditionCheck", checked, condition="attribute_exists(a)"))
    assert "ConsumedCapacity" not in answer
    assert get(plain(), p=new) == item(p=new, b=2)
    assert get(plain(), p=old) == item(p=old, a=2)
    assert get(plain(), p=gone) is None and get(plain(), p=checked) == item(p=checked, a=1)


def nothing_happens_if_one_condition_fails():
    first, second = unique(), unique()
    put(plain(), p=second, a=1)
    with _cancelled("None", "ConditionalCheckFailed"):
        _write(
            _part("Put", first), _part("Delete", second, condition="attribute_not_exists(a)"))
    assert get(plain(), p=first) is None and get(plain(), p=second) == item(p=second, a=1)


def every_failed_condition_is_reported():
    with _cancelled("ConditionalCheckFailed", "None", "ConditionalCheckFailed") as reasons:
        _write(
            _part("Put", unique(), condition="attribute_exists(p)"), _part("Put", unique()),
            _part("ConditionCheck", unique(), condition="attribute_exists(p)"))
    assert reasons[0]["Message"] == "The conditional request failed"
    assert "Message" not in reasons[1]
    part = _part("Put", unique(), condition="attribute_exists(p)")
    answer = call("TransactWriteItems", {"TransactItems": [part]})
    assert answer.status == 400 and answer.body == (
        b'{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",'
        b'"Message":"Transaction cancelled, please refer cancellation reasons for specific '
        b'reasons [ConditionalCheckFailed]","CancellationReasons":[{"Code":'
        b'"ConditionalCheckFailed","Message":"The conditional request failed"}]}'), answer.body


def a_reason_has_the_item_if_asked():
    key = unique()
    put(plain(), p=key, a=1)
    with _cancelled("ConditionalCheckFailed") as reasons:
        _write(_part(
            "Delete", key, condition="a = :v", bound={"v": 2},
            ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    assert reasons[0]["Item"] == item(p=key, a=1)
    with _cancelled("ConditionalCheckFailed") as reasons:
        _write(_part("Delete", key, condition="a = :v", bound={"v": 2}))
    assert "Item" not in reasons[0]
    with _cancelled("ConditionalCheckFailed") as reasons:
        _write(_part(
            "ConditionCheck", unique(), condition="attribute_exists(p)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    assert "Item" not in reasons[0]


def a_condition_sees_the_items_before():
    one, two = unique(), unique()
    put(plain(), p=one)
    with _cancelled("None", "ConditionalCheckFailed"):
        _write(_part("Delete", one), _part("Put", two, condition="attribute_exists(p)"))


def a_condition_is_complete_in_each_action():
    with invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"):
        _write(_part("Put", "a", condition="a = :v", bound={"v": 1, "w": 2}))
    with invalid("Invalid ConditionExpression: The expression can not be empty;"):
        _write({"Put": {
            "TableName": plain(), "Item": item(p="a"), "ConditionExpression": ""}})
    with invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"):
        _write(_part(
            "Put", "a", condition="attribute_exists(p)", ExpressionAttributeNames={"#x": "y"}))


def several_tables_take_part():
    key = unique()
    _write(_part("Put", key), _part("Put", table=sorted_table(), Item=item(p=key, c="x")))
    assert get(plain(), p=key) and get(sorted_table(), p=key, c="x")


def an_item_takes_part_once():
    for second in (_part("Delete", "a"), _update("a", "REMOVE x"), _part("Put", "a")):
        with invalid("Transaction request cannot include multiple operations on one item"):
            _write(_part("Put", "a"), second)
    _write(_part("Put", "a"), _part("Put", table=sorted_table(), Item=item(p="a", c="x")))


def a_transaction_has_1_to_100_actions():
    keys = [unique() for _ in range(101)]
    _write(*(_part("Put", key) for key in keys[:100]))
    with invalid(
            "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length "
            "greater than or equal to 1"):
        _write()
    with invalid(
            "at 'transactItems' failed to satisfy constraint: Member must have length less than or "
            "equal to 100"):
        _write(*(_part("Put", key) for key in keys))


def a_transaction_has_at_most_four_megabytes():
    text = "x" * 350_000
    with invalid("size cannot exceed"):
        _write(*(_part("Put", Item=item(p=unique(), x=text)) for _ in range(13)))
    _write(*(_part("Put", Item=item(p=unique(), x=text)) for _ in range(11)))


def an_action_does_one_thing():
    with invalid("TransactItems can only contain one of Check, Put, Update or Delete"):
        _write({**_part("Put", "a"), **_part("Delete", "b")})
    with invalid("TransactItems can only contain one of Check, Put, Update or Delete"):
        _write({})


def a_check_has_a_condition():
    with invalid(
            "Value null at 'transactItems.1.member.conditionCheck.conditionExpression' failed to "
            "satisfy constraint: Member must not be null"):
        _write(_part("ConditionCheck", "a"))


def an_update_has_an_expression():
    with invalid(
            "Value null at 'transactItems.1.member.update.updateExpression' failed to satisfy "
            "constraint: Member must not be null"):
        _write(_part("Update", "a"))


def an_invalid_item_cancels():
    for part in (
            _part("Put", Item=item(q=1)), _part("Put", Item=item(p=1)),
            _part("Put", Item=item(p="")),
            _part("Delete", Key=item(p=1)), _part("Put", Item=item(p="a", x="x" * 410_000))):
        with _cancelled("None", "ValidationError") as reasons:
            _write(_part("Put", unique()), part)
        assert reasons[1]["Message"]
    # An invalid action is the only reason, even where a condition fails.
    with _cancelled("None", "ValidationError", "None"):
        _write(
            _part("Put", unique(), condition="attribute_exists(p)"),
            *(_part("Put", Item=item(p=number)) for number in (7, 8)))


def an_update_that_does_not_fit_cancels():
    key = unique()
    put(plain(), p=key, a="text")
    with _cancelled("ValidationError") as reasons:
        _write(_update(key, "SET a = a + :v", bound={"v": 1}))
    assert reasons[0]["Message"] == (
        "An operand in the update expression has an incorrect data type")
    with _cancelled("ValidationError"):
        _write(_update(key, "SET gone.x = :v", bound={"v": 1}))


def a_wrong_index_key_cancels():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("all", "g")])
    with _cancelled("ValidationError") as reasons:
        _write(_part("Put", table=table, Item=item(p="a", g=1)))
    assert "Type mismatch for Index Key g" in reasons[0]["Message"]


def a_key_is_not_updated():
    with _cancelled("ValidationError") as reasons:
        _write(_update("a", "SET p = :v", bound={"v": "x"}))
    assert "This attribute is part of the key" in reasons[0]["Message"]


def an_update_can_create_an_item():
    key = unique()
    _write(_update(key, "SET a = if_not_exists(a, :z) + :o", bound={"z": 0, "o": 1}))
    assert get(plain(), p=key) == item(p=key, a=1)


def a_missing_table_is_named_in_no_reason():
    with refused("ResourceNotFoundException", "Requested resource not found"):
        _write(_part("Put", "a"), _part("Put", "b", table="absent"))
    with refused("ResourceNotFoundException", "Requested resource not found"):
        _read(_part("Get", "a", table="absent"))


def a_repeated_token_has_no_second_effect():
    key, token = unique(), unique("token")
    put(plain(), p=key, a=0)
    for _ in range(3):
        _write(_update(key, "SET a = a + :v", bound={"v": 1}), ClientRequestToken=token)
    assert get(plain(), p=key) == item(p=key, a=1)
    part = _update(key, "SET a = a + :v", bound={"v": 1})["Update"]
    again = {"Update": dict(reversed(part.items()))}
    call("TransactWriteItems", {"ClientRequestToken": token, "TransactItems": [again]})
    assert get(plain(), p=key) == item(p=key, a=1)


def a_token_belongs_to_one_request():
    token = unique("token")
    _write(_part("Put", unique()), ClientRequestToken=token)
    with refused("IdempotentParameterMismatchException"):
        _write(_part("Put", unique()), ClientRequestToken=token)


def a_cancelled_request_can_be_repeated():
    key, token = unique(), unique("token")
    part = _part("Put", key, condition="attribute_exists(p)")
    with _cancelled("ConditionalCheckFailed"):
        _write(part, ClientRequestToken=token)
    put(plain(), p=key)
    _write(part, ClientRequestToken=token)


def a_token_has_1_to_36_characters():
    _write(_part("Put", unique()), ClientRequestToken="t" * 36)
    with invalid(
            "at 'clientRequestToken' failed to satisfy constraint: Member must have length less "
            "than or equal to 36"):
        _write(_part("Put", unique()), ClientRequestToken="t" * 37)


def one_of_many_racing_transactions_wins():
    key, outcomes = unique(), []

    def race(number):
        try:
            _write(
                _part("Put", key, condition="attribute_not_exists(p)"),
                _part("Put", f"{key}-{number}"))
            outcomes.append(number)
        except client().exceptions.TransactionCanceledException:
            pass

    threads = [threading.Thread(target=race, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 1
    assert [number for number in range(12) if get(plain(), p=f"{key}-{number}")] == outcomes


def indexes_follow():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("all", "g")])
    _write(*(_part("Put", table=table, Item=item(p=key, g="x")) for key in "ab"))
    assert client().scan(TableName=table, IndexName="all")["Count"] == 2
    _write(_part("Delete", "a", table=table), _part("Put", table=table, Item=item(p="b")))
    assert client().scan(TableName=table, IndexName="all")["Count"] == 0


def a_write_reports_twice_the_capacity():
    answer = _write(_part("Put", unique()), _part("Put", unique()), ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 4.0


def items_are_read_together():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    found = _read(
        _part("Get", key), _part("Get", unique()),
        _part("Get", table=sorted_table(), Key=item(p=key, c="x")))
    assert found == [{"Item": item(p=key, a=1, b=2)}, {}, {}]


def a_read_has_projections():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    found = _read(_part(
        "Get", key, ProjectionExpression="#b", ExpressionAttributeNames={"#b": "b"}))
    assert found == [{"Item": item(b=2)}]
    with invalid('Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'):
        _read(_part("Get", key, ProjectionExpression="!!"))


def an_item_is_read_once():
    with invalid("Transaction request cannot include multiple operations on one item"):
        _read(_part("Get", "a"), _part("Get", "a"))


def a_read_has_1_to_100_items():
    keys = [unique() for _ in range(101)]
    assert _read(*(_part("Get", key) for key in keys[:100])) == [{}] * 100
    with invalid("Value '[]' at 'transactItems' failed to satisfy constraint: Member must have"):
        _read()
    with invalid("Member must have length less than or equal to 100"):
        _read(*(_part("Get", key) for key in keys))


def an_invalid_key_cancels_a_read():
    with _cancelled("None", "ValidationError") as reasons:
        _read(_part("Get", "a"), _part("Get", Key={}))
    assert reasons[1]["Message"] == "The provided key element does not match the schema"


def a_read_reports_twice_the_capacity():
    answer = client().transact_get_items(
        TransactItems=[_part("Get", unique())], ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": plain(), "CapacityUnits": 2.0}]


def names_and_values_belong_to_their_action():
    one, two = unique(), unique()
    _write(
        _update(one, "SET #n = :v", bound={"v": 1}, ExpressionAttributeNames={"#n": "name"}),
        _update(two, "SET #n = :v", bound={"v": 2}, ExpressionAttributeNames={"#n": "status"}))
    assert get(plain(), p=one) == item(p=one, name=1)
    assert get(plain(), p=two) == item(p=two, status=2)
