"""Update expressions."""

from boto3.dynamodb.types import TypeDeserializer

from dynamodb._db import (
    client, compare, failed_condition, get, invalid, item, plain, put, refusal, sorted_table,
    unique, used, values,
)

_BOUND = {
    ":one": 1, ":two": 2, ":x": "x", ":y": "y", ":lx": ["x"], ":sab": {"a", "b"}, ":sd": {"d"},
    ":n12": {1, 2}, ":map": {},
}
_LIST = {"l": ["0", "1", "2"]}
_INVALID_PATH = "The document path provided in the update expression is invalid for update"
_INCORRECT_TYPE = "An operand in the update expression has an incorrect data type"


def _updated(old, expression, names=None, **bound):
    """The item after the update, without its key; None for `old` is no item."""
    key = unique()
    if old is not None:
        put(plain(), p=key, **old)
    more = {"ExpressionAttributeNames": names} if names else {}
    if bound:
        more["ExpressionAttributeValues"] = values(**bound)
    client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression=expression, **more)
    found = get(plain(), p=key)
    if found is not None:
        del found["p"]
    return found


def _returned(choice, old, expression, **bound):
    key = unique()
    put(plain(), p=key, **old)
    answer = client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression=expression, ReturnValues=choice,
        ExpressionAttributeValues=values(**bound))
    attributes = answer.get("Attributes", {})
    attributes.pop("p", None)
    return attributes


def set_sets_attributes():
    assert _updated({"a": 1}, "SET a = :v, b = :w", v=2, w="x") == item(a=2, b="x")


def an_update_creates_the_item():
    assert _updated(None, "SET a = :v", v=1) == item(a=1)


def an_update_that_only_removes_creates_nothing():
    assert _updated(None, "REMOVE a") is None


def an_update_without_an_expression_creates_the_item():
    key = unique()
    client().update_item(TableName=plain(), Key=item(p=key))
    assert get(plain(), p=key) == item(p=key)


def numbers_are_added_and_subtracted():
    assert _updated({"a": 5}, "SET a = a + :v, b = a - :v, c = :v - a", v=2) == item(a=7, b=3, c=-3)


def every_operand_is_that_of_the_old_item():
    assert _updated({"a": 1, "b": 2}, "SET a = b, b = a") == item(a=2, b=1)


def a_missing_operand_is_refused():
    with invalid(
            "The provided expression refers to an attribute that does not exist in the item"):
        _updated({"a": 1}, "SET b = gone")
    with invalid("The provided expression refers to an attribute that does not exist in the item"):
        _updated({"a": 1}, "SET b = gone + :v", v=1)


def an_operand_has_the_right_type():
    with invalid("An operand in the update expression has an incorrect data type"):
        _updated({"a": "x"}, "SET a = a + :v", v=1)
    with invalid("Incorrect operand type for operator or function; operator or function: +"):
        _updated({"a": 1}, "SET a = a + :v", v="1")


def if_not_exists_gives_a_default():
    assert _updated({}, "SET a = if_not_exists(a, :z) + :o", z=0, o=1) == item(a=1)
    assert _updated({"a": 5}, "SET a = if_not_exists(a, :z) + :o", z=0, o=1) == item(a=6)


def lists_are_appended_at_either_end():
    assert _updated({"l": [1]}, "SET l = list_append(l, :v)", v=[2]) == item(l=[1, 2])
    assert _updated({"l": [1]}, "SET l = list_append(:v, l)", v=[2]) == item(l=[2, 1])
    assert _updated({}, "SET l = list_append(if_not_exists(l, :e), :v)", e=[], v=[1]) == item(l=[1])


def only_lists_are_appended():
    with invalid("Incorrect operand type for operator or function", "list_append, operand type: S"):
        _updated({"l": [1]}, "SET l = list_append(l, :v)", v="x")
    with invalid("An operand in the update expression has an incorrect data type"):
        _updated({"l": "x"}, "SET l = list_append(l, :v)", v=[1])


def list_elements_are_set_and_removed():
    assert _updated({"l": [1, 2, 3]}, "SET l[1] = :v", v=9) == item(l=[1, 9, 3])
    assert _updated({"l": [1, 2, 3]}, "REMOVE l[0], l[2]") == item(l=[2])
    assert _updated({"l": [1]}, "SET l[7] = :v", v=2) == item(l=[1, 2])
    assert _updated({"l": [1, 2, 3]}, "SET l[0] = :v REMOVE l[1]", v=9) == item(l=[9, 3])


def nested_attributes_are_set_and_removed():
    assert _updated({"m": {"a": {"b": 1}}}, "SET m.a.c = :v REMOVE m.a.b", v=2) == item(
        m={"a": {"c": 2}})


def the_parent_of_a_path_must_exist():
    for old in ({}, {"m": 1}, {"m": [1]}):
        with invalid("The document path provided in the update expression is invalid for update"):
            _updated(old, "SET m.a = :v", v=1)
    with invalid("The document path provided in the update expression is invalid for update"):
        _updated({"m": {}}, "SET m[0] = :v", v=1)


def a_missing_attribute_can_be_removed():
    assert _updated({"a": 1, "m": {}}, "REMOVE gone, m.gone") == item(a=1, m={})


def add_adds_numbers_and_elements():
    assert _updated({"a": 1}, "ADD a :v, b :v", v=2) == item(a=3, b=2)
    both = {"x", "y"}
    assert _updated({"s": {"x"}}, "ADD s :v, t :v", v=both) == item(s=both, t=both)


def add_wants_a_number_or_a_set():
    for value, kind in (("x", "STRING"), ([1], "LIST"), ({"a": 1}, "MAP"), (True, "BOOLEAN")):
        with invalid(
                "Incorrect operand type for operator or function; operator: ADD, operand type: "
                + kind):
            _updated({}, "ADD a :v", v=value)


def add_wants_the_same_type():
    with invalid("An operand in the update expression has an incorrect data type"):
        _updated({"a": "x"}, "ADD a :v", v=1)
    with invalid("An operand in the update expression has an incorrect data type"):
        _updated({"a": {1}}, "ADD a :v", v={"x"})


def delete_removes_elements():
    assert _updated({"s": {"x", "y"}}, "DELETE s :v", v={"y", "z"}) == item(s={"x"})
    assert _updated({"s": {"x"}}, "DELETE s :v", v={"x"}) == {}
    assert _updated({"a": 1}, "DELETE s :v", v={"x"}) == item(a=1)


def delete_wants_a_set():
    with invalid("operator: DELETE, operand type: NUMBER"):
        _updated({"s": {1}}, "DELETE s :v", v=1)


def updates_have_these_results():
    compare((
        ({"a": 1}, "SET a = (a + :two)", {"a": 3}),
        ({"a": 1}, "SET b = a REMOVE a", {"b": 1}),
        ({"a": 1}, "REMOVE a SET b = a", {"b": 1}),
        (_LIST, "SET l[9] = :y, l[7] = :x", {"l": ["0", "1", "2", "x", "y"]}),
        (_LIST, "REMOVE l[0] SET l[2] = :x", {"l": ["1", "x"]}),
        (_LIST, "REMOVE l[7]", _LIST),
        ({"d": {"x": 1, "y": 2}}, "SET d.z = :one REMOVE d.x, d.q", {"d": {"y": 2, "z": 1}}),
        ({"d": {"l": [{"x": 1}]}}, "SET d.l[0].x = d.l[0].x + :one", {"d": {"l": [{"x": 2}]}}),
        ({"a": {2, 3}}, "ADD a :n12", {"a": {1, 2, 3}}),
        ({"d": {}}, "ADD d.n :one", {"d": {"n": 1}}),
        ({"a": {"a", "b"}}, "DELETE a :sd", {"a": {"a", "b"}}),
        ({}, "SET a = :map", {"a": {}}),
        (None, "ADD a :one", {"a": 1}),
        (None, "SET a = :one REMOVE b.c", {"a": 1}),
        (None, "REMOVE a.b", None),
        (None, "DELETE a :sab", None),
    ), lambda old, update: _plain(_applied(unique(), old, update)))


def _applied(key, old, update):
    if old is not None:
        put(plain(), p=key, **old)
    bound = used(_BOUND, update)
    client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression=update,
        **({"ExpressionAttributeValues": bound} if bound else {}))
    return get(plain(), p=key)


def _plain(found):
    """The Python values of an item without its key."""
    if found is None:
        return None
    read = TypeDeserializer().deserialize
    return {name: read(value) for name, value in found.items() if name != "p"}


def a_refused_update_changes_nothing():
    def answer(old, update):
        key = unique()
        message = refusal(lambda: _applied(key, old, update))
        assert get(plain(), p=key) == (item(p=key, **old)), update
        return message

    compare((
        ({"a": []}, "ADD a :sab", _INCORRECT_TYPE),
        ({"a": {1}}, "DELETE a :sab", _INCORRECT_TYPE),
        ({"a": "x"}, "SET b = :one, a = a + :one", _INCORRECT_TYPE),
        ({}, "REMOVE a.b", _INVALID_PATH),
        ({"a": {}}, "SET a.b.c = :one", _INVALID_PATH),
        ({"a": []}, "SET a.x = :one", _INVALID_PATH),
    ), answer)


def sections_have_any_order_and_case():
    assert _updated({"a": 1, "b": 2, "s": {1}}, "remove a aDd b :v Set c = :v DELETE s :w",
                    v=1, w={1}) == item(b=3, c=1)


def a_section_occurs_once():
    with invalid('The "SET" section can only be used once in an update expression;'):
        _updated({}, "SET a = :v SET b = :v", v=1)


def paths_do_not_overlap():
    for expression in ("SET a = :v, a = :v", "SET a = :v REMOVE a", "SET a = :v, a.b = :v"):
        with invalid(
                "Invalid UpdateExpression: Two document paths overlap with each other; must "
                "remove or rewrite one of these paths; path one: [a], path two: [a"):
            _updated({}, expression, v=1)


def paths_do_not_conflict():
    with invalid("Two document paths conflict with each other; must remove or rewrite one"):
        _updated({}, "SET a.b = :v, a[0] = :v", v=1)


def keys_are_not_updated():
    with invalid(
            "One or more parameter values were invalid: Cannot update attribute p. This attribute "
            "is part of the key"):
        _updated({}, "SET p = :v", v="x")
    with invalid("Cannot update attribute c. This attribute is part of the key"):
        client().update_item(
            TableName=sorted_table(), Key=item(p="a", c="b"), UpdateExpression="REMOVE c")


def syntax_errors_show_where():
    with invalid(
            'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"'):
        _updated({}, "INVALID SYNTAX")
    with invalid('Syntax error; token: "<EOF>", near: "="'):
        _updated({}, "SET a =")


def an_update_expression_is_not_empty():
    with invalid("Invalid UpdateExpression: The expression can not be empty;"):
        _updated({}, "")


def functions_of_conditions_are_not_allowed():
    with invalid(
            "Invalid UpdateExpression: The function is not allowed in an update expression; "
            "function: attribute_exists"):
        _updated({}, "SET a = attribute_exists(b)")
    with invalid("Invalid function name; function: nothing"):
        _updated({}, "SET a = nothing(b)")


def a_reserved_word_is_no_attribute():
    with invalid("Attribute name is a reserved keyword; reserved keyword: status"):
        _updated({}, "SET status = :v", v=1)
    assert _updated({}, "SET #s = :v", {"#s": "status"}, v=1) == item(status=1)


def values_must_be_defined_and_used():
    with invalid(
            "Invalid UpdateExpression: An expression attribute value used in expression is not "
            "defined; attribute value: :w"):
        _updated({}, "SET a = :w")
    with invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"):
        _updated({}, "SET a = :v", v=1, w=2)


def old_and_new_values_are_returned():
    old, change = {"a": 1, "b": 2}, "SET a = :v"
    assert _returned("NONE", old, change, v=5) == {}
    assert _returned("ALL_OLD", old, change, v=5) == item(a=1, b=2)
    assert _returned("ALL_NEW", old, change, v=5) == item(a=5, b=2)
    assert _returned("UPDATED_OLD", old, change, v=5) == item(a=1)
    assert _returned("UPDATED_NEW", old, change, v=5) == item(a=5)


def only_the_updated_part_of_a_document_is_returned():
    old = {"m": {"a": 1, "b": 2}}
    assert _returned("UPDATED_NEW", old, "SET m.a = :v", v=5) == item(m={"a": 5})
    assert _returned("UPDATED_OLD", old, "SET m.a = :v, e = :v", v=5) == item(m={"a": 1})


def a_condition_decides_an_update():
    key = unique()
    with failed_condition():
        client().update_item(
            TableName=plain(), Key=item(p=key), UpdateExpression="SET a = :v",
            ConditionExpression="attribute_exists(p)", ExpressionAttributeValues=values(v=1))
    assert get(plain(), p=key) is None


def one_value_serves_update_and_condition():
    key = unique()
    put(plain(), p=key, a=1)
    client().update_item(
        TableName=plain(), Key=item(p=key), UpdateExpression="SET b = :v",
        ConditionExpression="a = :v", ExpressionAttributeValues=values(v=1))
    assert get(plain(), p=key) == item(p=key, a=1, b=1)
