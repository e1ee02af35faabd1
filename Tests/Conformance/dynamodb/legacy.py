"""Parameters before expressions."""

from dynamodb._db import (
    client, failed_condition, get, invalid, item, make, plain, put, unique, wire,
)

_SUBJECT = {"n": 5, "s": "hello", "l": [1], "ss": {"x", "y"}}


def _expect(expected, operator=None):
    key = unique()
    put(plain(), p=key, **_SUBJECT)
    more = {"ConditionalOperator": operator} if operator else {}
    client().delete_item(TableName=plain(), Key=item(p=key), Expected=expected, **more)


def _compare(comparator, *operands):
    return {"ComparisonOperator": comparator, "AttributeValueList": [wire(v) for v in operands]}


def _update(updates, old=None):
    key = unique()
    put(plain(), p=key, **(old or _SUBJECT))
    client().update_item(TableName=plain(), Key=item(p=key), AttributeUpdates=updates)
    found = get(plain(), p=key)
    del found["p"]
    return found


def expected_values_and_existence():
    _expect({"n": {"Value": wire(5)}})
    _expect({"n": {"Value": wire(5), "Exists": True}, "gone": {"Exists": False}})
    with failed_condition():
        _expect({"n": {"Value": wire(6)}})
    with failed_condition():
        _expect({"n": {"Exists": False}})


def expected_comparisons_that_hold():
    for name, comparison in (
            ("n", _compare("EQ", 5)), ("n", _compare("NE", 6)), ("n", _compare("LT", 6)),
            ("n", _compare("LE", 5)), ("n", _compare("GT", 4)), ("n", _compare("GE", 5)),
            ("n", _compare("BETWEEN", 1, 9)), ("n", _compare("IN", 1, 5)),
            ("s", _compare("BEGINS_WITH", "he")), ("s", _compare("CONTAINS", "ell")),
            ("ss", _compare("CONTAINS", "x")), ("ss", _compare("NOT_CONTAINS", "z")),
            ("gone", _compare("NULL")), ("s", _compare("NOT_NULL")), ("l", _compare("EQ", [1])),
            ("n", {"ComparisonOperator": "GE", "Value": wire(5)})):
        _expect({name: comparison})


def expected_comparisons_that_fail():
    for name, comparison in (
            ("n", _compare("EQ", "5")), ("n", _compare("NE", 5)), ("n", _compare("LT", "9")),
            ("ss", _compare("NOT_CONTAINS", "x")), ("gone", _compare("NOT_CONTAINS", "x")),
            ("gone", _compare("LE", 5)),
            ("l", _compare("GT", 0)), ("s", _compare("NULL")), ("gone", _compare("NOT_NULL"))):
        with failed_condition():
            _expect({name: comparison})


def a_missing_attribute_is_expected_to_be_unequal():
    _expect({"gone": _compare("NE", 1)})


def several_expectations_are_combined():
    two = {"n": {"Value": wire(5)}, "s": {"Value": wire("other")}}
    with failed_condition():
        _expect(two)
    with failed_condition():
        _expect(two, "AND")
    _expect(two, "OR")


def an_operator_needs_something_to_combine():
    for expected in ({}, None):
        more = {} if expected is None else {"Expected": expected}
        with invalid("ConditionalOperator cannot be used without Filter or Expected"):
            client().delete_item(
                TableName=plain(), Key=item(p="a"), ConditionalOperator="OR", **more)
    with invalid(
            "ConditionalOperator can only be used when Filter or Expected has two or more "
            "elements"):
        _expect({"n": {"Value": wire(5)}}, "AND")


def an_expectation_is_complete():
    prefix = "One or more parameter values were invalid: "
    for expected, text in (
            ({}, "Value must be provided when Exists is null for Attribute: n"),
            ({"Exists": True}, "Value must be provided when Exists is true for Attribute: n"),
            ({"Exists": False, "Value": wire(1)},
             "Value cannot be used when Exists is false for Attribute: n"),
            ({"Exists": True, "ComparisonOperator": "NULL"},
             "Exists and ComparisonOperator cannot be used together for Attribute: n"),
            ({"Value": wire(1), "AttributeValueList": [wire(1)]},
             "Value and AttributeValueList cannot be used together for Attribute: n"),
            ({"AttributeValueList": [wire(1)]},
             "AttributeValueList can only be used with a ComparisonOperator for Attribute: n"),
            ({"ComparisonOperator": "EQ"},
             "Value or AttributeValueList must be used with ComparisonOperator: EQ for "
             "Attribute: n")):
        with invalid(prefix + text):
            _expect({"n": expected})


def a_comparison_has_its_number_of_operands():
    for comparison in (
            _compare("EQ", 1, 2), _compare("NULL", 1), _compare("BETWEEN", 1), _compare("IN"),
            _compare("CONTAINS")):
        name = comparison["ComparisonOperator"]
        with invalid(f"Invalid number of argument(s) for the {name} ComparisonOperator"):
            _expect({"n": comparison})


def operands_have_a_possible_type():
    for comparison, kind in (
            (_compare("LT", [1]), "L"), (_compare("BEGINS_WITH", 1), "N"),
            (_compare("CONTAINS", {"x"}), "SS"), (_compare("IN", True), "BOOL")):
        name = comparison["ComparisonOperator"]
        with invalid(f"ComparisonOperator {name} is not valid for {kind} AttributeValue type"):
            _expect({"n": comparison})


def operands_have_the_same_type():
    with invalid("AttributeValues inside AttributeValueList must be of same type"):
        _expect({"n": _compare("IN", 1, "2")})


def bounds_are_in_order():
    with invalid(
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound"):
        _expect({"n": _compare("BETWEEN", 9, 1)})


def comparators_are_case_sensitive():
    with invalid(
            "at 'expected.n.member.comparisonOperator' failed to satisfy constraint: Member must "
            "satisfy enum value set: ["):
        _expect({"n": _compare("eq", 5)})


def attributes_are_put_and_deleted():
    assert _update({
        "n": {"Value": wire("new")}, "s": {"Action": "DELETE"},
        "more": {"Action": "PUT", "Value": wire([1])},
    }) == item(n="new", l=[1], ss={"x", "y"}, more=[1])


def numbers_sets_and_lists_are_added_to():
    assert _update({
        "n": {"Action": "ADD", "Value": wire(2)}, "ss": {"Action": "ADD", "Value": wire({"z"})},
        "l": {"Action": "ADD", "Value": wire([2])}, "new": {"Action": "ADD", "Value": wire(1)},
    }) == item(n=7, s="hello", l=[1, 2], ss={"x", "y", "z"}, new=1)


def elements_are_deleted_from_sets():
    assert _update({"ss": {"Action": "DELETE", "Value": wire({"x", "q"})}}, {"ss": {"x", "y"}}) == (
        item(ss={"y"}))
    assert _update({"ss": {"Action": "DELETE", "Value": wire({"x"})}}, {"ss": {"x"}}) == {}


def an_update_has_a_value_unless_it_deletes():
    for action in ("PUT", "ADD"):
        with invalid("Only DELETE action is allowed when no attribute value is specified"):
            _update({"n": {"Action": action}})


def actions_have_possible_types():
    with invalid("DELETE action with value is not supported for the type N"):
        _update({"n": {"Action": "DELETE", "Value": wire(1)}})
    with invalid("ADD action is not supported for the type S"):
        _update({"n": {"Action": "ADD", "Value": wire("1")}})
    with invalid("Type mismatch for attribute to update"):
        _update({"s": {"Action": "ADD", "Value": wire(1)}})


def an_action_has_a_known_name():
    with invalid("Member must satisfy enum value set: [ADD, DELETE, PUT]"):
        _update({"n": {"Action": "put", "Value": wire(1)}})


def keys_are_no_updates():
    with invalid("Cannot update attribute p. This attribute is part of the key"):
        _update({"p": {"Value": wire("x")}})


def empty_updates_create_the_item():
    key = unique()
    client().update_item(TableName=plain(), Key=item(p=key), AttributeUpdates={})
    assert get(plain(), p=key) == item(p=key)


def updates_return_values():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    answer = client().update_item(
        TableName=plain(), Key=item(p=key), AttributeUpdates={"a": {"Value": wire(5)}},
        ReturnValues="UPDATED_NEW")
    assert answer["Attributes"] == item(a=5)


def _table():
    table = make(["p", "c"], {"c": "N"})
    for number in range(6):
        put(table, p="a", c=number, parity=number % 2, l=[number])
    put(table, p="b", c=0)
    return table


def _query(table, sort=None, **more):
    conditions = {"p": _compare("EQ", "a")}
    if sort:
        conditions["c"] = sort
    answer = client().query(TableName=table, KeyConditions=conditions, **more)
    return [int(entry["c"]["N"]) for entry in answer["Items"]]


def key_conditions_select_a_range():
    table = _table()
    for condition, expected in (
            (None, range(6)), (_compare("EQ", 3), [3]), (_compare("LT", 2), [0, 1]),
            (_compare("LE", 1), [0, 1]), (_compare("GT", 3), [4, 5]), (_compare("GE", 5), [5]),
            (_compare("BETWEEN", 2, 4), [2, 3, 4])):
        assert _query(table, condition) == list(expected), condition
    assert _query(table, ScanIndexForward=False) == [5, 4, 3, 2, 1, 0]


def key_conditions_find_beginnings():
    table = make(["p", "c"])
    for text in ("a", "ab", "abc", "b"):
        put(table, p="a", c=text)
    answer = client().query(TableName=table, KeyConditions={
        "p": _compare("EQ", "a"), "c": _compare("BEGINS_WITH", "ab")})
    assert [entry["c"]["S"] for entry in answer["Items"]] == ["ab", "abc"]


def key_conditions_name_the_partition_key():
    table = _table()
    with invalid("Query condition missed key schema element: p"):
        client().query(TableName=table, KeyConditions={"c": _compare("EQ", 1)})
    with invalid("Query key condition not supported"):
        client().query(TableName=table, KeyConditions={"p": _compare("GT", "a")})


def there_are_one_or_two_key_conditions():
    with invalid("Conditions can be of length 1 or 2 only"):
        client().query(TableName=_table(), KeyConditions={})
    with invalid("Conditions can be of length 1 or 2 only"):
        client().query(TableName=_table(), KeyConditions={
            "p": _compare("EQ", "a"), "c": _compare("EQ", 1), "x": _compare("EQ", 1)})


def key_conditions_are_indexable():
    for comparison in (_compare("NE", 1), _compare("IN", 1), _compare("NULL")):
        with invalid("Attempted conditional constraint is not an indexable operation"):
            _query(_table(), comparison)


def key_conditions_have_the_types_of_the_keys():
    with invalid("Condition parameter type does not match schema type"):
        _query(_table(), _compare("EQ", "1"))


def filters_keep_items():
    table = _table()
    odd = {"parity": _compare("EQ", 1)}
    assert _query(table, QueryFilter=odd) == [1, 3, 5]
    assert _query(table, QueryFilter={}) == list(range(6))
    answer = client().scan(TableName=table, ScanFilter=odd)
    assert (answer["Count"], answer["ScannedCount"]) == (3, 7)


def filters_are_combined():
    table = _table()
    two = {"parity": _compare("EQ", 1), "l": _compare("CONTAINS", 4)}
    assert _query(table, QueryFilter=two) == []
    assert _query(table, QueryFilter=two, ConditionalOperator="OR") == [1, 3, 4, 5]


def a_query_filter_has_no_key_attribute():
    with invalid(
            "QueryFilter can only contain non-primary key attributes: Primary key attribute: c"):
        _query(_table(), QueryFilter={"c": _compare("EQ", 1)})


def a_scan_filter_may_have_key_attributes():
    answer = client().scan(TableName=_table(), ScanFilter={"p": _compare("EQ", "b")})
    assert answer["Count"] == 1


def attributes_to_get_select_what_a_query_returns():
    answer = client().query(
        TableName=_table(), KeyConditions={"p": _compare("EQ", "a")}, AttributesToGet=["parity"])
    assert answer["Items"][1] == item(parity=1)


def both_kinds_are_not_mixed():
    prefix = (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: ")
    with invalid(prefix + "{AttributeUpdates} Expression parameters: {UpdateExpression}"):
        client().update_item(
            TableName=plain(), Key=item(p="a"), AttributeUpdates={}, UpdateExpression="REMOVE a")
    with invalid(prefix + "{AttributeUpdates, Expected} Expression parameters: "):
        client().update_item(
            TableName=plain(), Key=item(p="a"), Expected={}, AttributeUpdates={},
            UpdateExpression="REMOVE a")
    with invalid(prefix + "{Expected} Expression parameters: {ConditionExpression}"):
        client().put_item(
            TableName=plain(), Item=item(p="a"), Expected={"a": {"Exists": False}},
            ConditionExpression="attribute_exists(a)")
    with invalid(prefix + "{AttributesToGet} Expression parameters: {ProjectionExpression}"):
        client().get_item(
            TableName=plain(), Key=item(p="a"), AttributesToGet=["a"], ProjectionExpression="a")
    with invalid(prefix + "{ScanFilter} Expression parameters: {FilterExpression}"):
        client().scan(TableName=plain(), ScanFilter={}, FilterExpression="attribute_exists(a)")


def a_filter_expression_goes_with_key_conditions():
    answer = client().query(
        TableName=_table(), KeyConditions={"p": _compare("EQ", "a")},
        FilterExpression="parity = :v", ExpressionAttributeValues={":v": wire(1)})
    assert answer["Count"] == 3
