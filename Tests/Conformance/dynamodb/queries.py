"""Queries: key conditions, filters, pages."""

import functools
import itertools

from dynamodb._db import client, fill, invalid, item, make, put, refused, values


@functools.cache
def _table():
    """Twelve items in one partition, sorted by number, and one in another."""
    table = make(["p", "c"], {"c": "N"})
    fill(table, ({"p": "a", "c": number, "parity": number % 2} for number in range(12)))
    put(table, p="b", c=0)
    return table


def _answer(condition="p = :p", table=None, names=None, bound=None, **more):
    if names:
        more["ExpressionAttributeNames"] = names
    return client().query(
        TableName=table or _table(), KeyConditionExpression=condition,
        ExpressionAttributeValues=values(**{"p": "a", **(bound or {})}), **more)


def _numbers(*arguments, **more):
    return [int(entry["c"]["N"]) for entry in _answer(*arguments, **more)["Items"]]


def a_partition_is_sorted():
    assert _numbers() == list(range(12))
    assert _numbers(ScanIndexForward=False) == list(range(11, -1, -1))


def a_sort_key_is_compared():
    for condition, bound, expected in (
            ("c = :v", {"v": 3}, [3]), ("c < :v", {"v": 2}, [0, 1]), ("c <= :v", {"v": 1}, [0, 1]),
            ("c > :v", {"v": 10}, [11]), ("c >= :v", {"v": 11}, [11]), (":v > c", {"v": 1}, [0]),
            ("c BETWEEN :v AND :w", {"v": 2, "w": 3}, [2, 3])):
        assert _numbers(f"p = :p AND {condition}", bound=bound) == expected, condition
        assert _numbers(f"{condition} AND p = :p", bound=bound) == expected, condition


def a_sort_key_begins_with_text():
    table = make(["p", "c"])
    fill(table, ({"p": "a", "c": text} for text in ("a", "ab", "abc", "b", "ÿÿ")))
    for beginning, expected in (("ab", ["ab", "abc"]), ("ÿ", ["ÿÿ"])):
        answer = _answer("p = :p AND begins_with(c, :v)", table, bound={"v": beginning})
        assert [entry["c"]["S"] for entry in answer["Items"]] == expected


def a_sort_key_begins_with_bytes():
    table = make(["p", "c"], {"c": "B"})
    fill(table, ({"p": "a", "c": value} for value in (b"\x01", b"\xff", b"\xff\xff\x00")))
    answer = _answer("p = :p AND begins_with(c, :v)", table, bound={"v": b"\xff"})
    assert [entry["c"]["B"] for entry in answer["Items"]] == [b"\xff", b"\xff\xff\x00"]


def a_number_has_no_beginning():
    with invalid("begins_with, operand type: N"):
        _answer("p = :p AND begins_with(c, :v)", bound={"v": 1})


def a_condition_may_be_in_parentheses():
    assert _numbers("(p = :p) AND (c = :v)", bound={"v": 3}) == [3]
    assert _numbers("(p = :p AND c = :v)", bound={"v": 3}) == [3]
    with invalid("The expression has redundant parentheses;"):
        _answer("((p = :p))")


def the_partition_key_is_equal():
    for operator in ("<", ">="):
        with invalid("Query key condition not supported"):
            _answer(f"p {operator} :p")


def the_partition_key_must_be_there():
    with invalid("Query condition missed key schema element: p"):
        client().query(
            TableName=_table(), KeyConditionExpression="c = :v",
            ExpressionAttributeValues=values(v=1))


def another_attribute_is_no_key():
    with invalid("Query condition missed key schema element: c"):
        _answer("p = :p AND q = :v", bound={"v": 1})


def a_query_needs_a_condition():
    with invalid(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in "
            "the request."):
        client().query(TableName=_table())


def a_key_condition_has_few_operators():
    for condition, operator in (
            ("p = :p OR c = :v", "OR"), ("p = :p AND NOT c = :v", "NOT"),
            ("p = :p AND c <> :v", "<>"), ("p = :p AND c IN (:v)", "IN"),
            ("p = :p AND attribute_exists(c) AND c = :v", "attribute_exists")):
        with invalid(f"Invalid operator used in KeyConditionExpression: {operator}"):
            _answer(condition, bound={"v": 1})


def a_key_has_one_condition():
    with invalid("KeyConditionExpressions must only contain one condition per key"):
        _answer("p = :p AND p = :v", bound={"v": "b"})


def a_key_condition_is_not_empty():
    with invalid("Invalid KeyConditionExpression: The expression can not be empty;"):
        client().query(TableName=_table(), KeyConditionExpression="")


def a_key_condition_has_the_keys_type():
    with invalid("Condition parameter type does not match schema type"):
        _answer("p = :p AND c = :v", bound={"v": "1"})


def a_filter_keeps_items():
    answer = _answer(FilterExpression="parity = :v", bound={"v": 1})
    assert (answer["Count"], answer["ScannedCount"]) == (6, 12)


def a_filter_has_no_key_attribute():
    with invalid(
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
            "c"):
        _answer(FilterExpression="c = :v", bound={"v": 1})


def a_limit_counts_before_the_filter():
    answer = _answer(FilterExpression="parity = :v", bound={"v": 1}, Limit=3)
    assert (answer["Count"], answer["ScannedCount"]) == (1, 3)
    assert answer["LastEvaluatedKey"] == item(p="a", c=2)


def a_query_is_resumed():
    for limit, ascending in itertools.product((1, 3, 5, 11, 12, 13), (True, False)):
        found, start, pages = [], {}, 0
        while True:
            answer = _answer(Limit=limit, ScanIndexForward=ascending, **start)
            found += [int(entry["c"]["N"]) for entry in answer["Items"]]
            pages += 1
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        assert found == sorted(range(12), reverse=not ascending)
        assert pages == 12 // limit + 1


def a_full_page_says_that_there_may_be_more():
    answer = _answer(Limit=12)
    assert answer["LastEvaluatedKey"] == item(p="a", c=11)
    assert "LastEvaluatedKey" not in _answer(Limit=13)


def a_page_has_at_most_a_megabyte():
    table = make(["p", "c"], {"c": "N"})
    fill(table, ({"p": "a", "c": number, "x": "x" * 300_000} for number in range(5)))
    answer = _answer(table=table)
    assert answer["Count"] == 4 and answer["LastEvaluatedKey"] == item(p="a", c=3)
    answer = _answer(table=table, FilterExpression="attribute_exists(gone)")
    assert (answer["Count"], answer["ScannedCount"]) == (0, 4) and "LastEvaluatedKey" in answer


def a_start_key_has_the_keys_attributes():
    for start in (item(), item(p="a")):
        with invalid("The provided starting key is invalid"):
            _answer(ExclusiveStartKey=start)
    with invalid("The provided starting key is invalid"):
        _answer(ExclusiveStartKey=item(p="a", c=1, x=1))
    with invalid("The provided key element does not match the schema"):
        _answer(ExclusiveStartKey=item(p="a", c="1"))


def a_start_key_need_not_exist():
    assert _numbers(ExclusiveStartKey={"p": {"S": "a"}, "c": {"N": "9.5"}}) == [10, 11]


def a_start_key_is_in_the_range():
    with invalid(
            "The provided starting key is outside query boundaries based on provided conditions"):
        _answer(ExclusiveStartKey=item(p="b", c=1))
    with invalid("The provided starting key does not match the range key predicate"):
        _answer("p = :p AND c > :v", bound={"v": 5}, ExclusiveStartKey=item(p="a", c=1))


def a_partition_of_one_item_cannot_be_resumed():
    table = make(["p"])
    with invalid("The provided exclusive start key is invalid: ExclusiveStartKey: {p="):
        _answer(table=table, ExclusiveStartKey=item(p="a"))


def a_limit_is_positive():
    with invalid(
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member "
            "must have value greater than or equal to 1"):
        _answer(Limit=0)


def items_are_counted_or_selected():
    answer = _answer(Select="COUNT")
    assert answer["Count"] == 12 and "Items" not in answer
    answer = _answer(Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="parity")
    assert answer["Items"][1] == item(parity=1)
    assert _answer(Select="ALL_ATTRIBUTES")["Items"][1] == item(p="a", c=1, parity=1)


def a_selection_fits_the_projection():
    for choice, text in (
            ("COUNT", "when choosing to get only the Count"),
            ("ALL_ATTRIBUTES", "when choosing to get ALL_ATTRIBUTES")):
        with invalid(f"Cannot specify the ProjectionExpression {text}"):
            _answer(Select=choice, ProjectionExpression="parity")
    with invalid(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"):
        _answer(Select="SPECIFIC_ATTRIBUTES")
    with invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"):
        _answer(Select="ALL_PROJECTED_ATTRIBUTES")


def a_selection_is_known():
    with invalid(
            "Value 'NOTHING' at 'select' failed to satisfy constraint: Member must satisfy enum "
            "value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"):
        _answer(Select="NOTHING")


def a_queried_index_exists():
    with invalid("The table does not have the specified index: nothing"):
        _answer(IndexName="nothing")


def a_queried_table_exists():
    with refused("ResourceNotFoundException", "Requested resource not found"):
        _answer(table="absent")


def an_empty_partition_is_no_error():
    answer = _answer(bound={"p": "nothing"})
    assert answer["Items"] == [] and answer["Count"] == 0


def binary_sort_keys_are_unsigned():
    table = make(["p", "c"], {"c": "B"})
    ordered = [b"\0", b"\0\0", b"\0\1", b"\x7f", b"\x80", b"\xff", b"\xff\0", b"\xff\xff"]
    fill(table, ({"p": "a", "c": value} for value in reversed(ordered)))
    assert [entry["c"]["B"] for entry in _answer(table=table)["Items"]] == ordered


def strings_are_sorted_by_their_utf8_bytes():
    table = make(["p", "c"])
    ordered = ["\0", "\0\0", "\0a", "A", "Z", "a", "a\0", "aa", "é", "\uffff", "\U00010000"]
    fill(table, ({"p": "a", "c": ordered[(number * 5 + 2) % 11]} for number in range(11)))
    assert [entry["c"]["S"] for entry in _answer(table=table)["Items"]] == ordered
