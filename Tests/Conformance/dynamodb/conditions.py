"""Condition expressions."""

import decimal

from dynamodb._db import (
    client, failed_condition, get, invalid, item, plain, put, refused, unique, used, values,
)

_SUBJECT = {
    "a": 5, "s": "hello", "b": b"abc", "l": [1, "two", [3]], "m": {"x": 1, "y": {"z": "deep"}},
    "ss": {"x", "y"}, "ns": {1, 2}, "yes": True, "nil": None,
}


def _checked(condition, names=None, **bound):
    """Whether the condition holds for the subject."""
    key = unique()
    put(plain(), p=key, **_SUBJECT)
    more = {"ExpressionAttributeNames": names} if names else {}
    if bound:
        more["ExpressionAttributeValues"] = values(**bound)
    try:
        client().delete_item(
            TableName=plain(), Key=item(p=key), ConditionExpression=condition, **more)
    except client().exceptions.ConditionalCheckFailedException:
        return False
    return True


def values_are_compared():
    for condition, expected in (
            ("a = :v", False), ("a <> :v", True), ("a < :v", True), ("a <= :v", True),
            ("a > :v", False), ("a >= :v", False), (":v > a", True)):
        assert _checked(condition, v=6) is expected, condition


def strings_and_binaries_are_ordered_by_bytes():
    assert _checked("s > :v", v="Hello") and _checked("s < :v", v="hellp")
    assert _checked("b < :v", v=b"abd") and not _checked("b < :v", v=b"abc")


def another_type_is_unequal_and_unordered():
    assert not _checked("a = :v", v="5") and _checked("a <> :v", v="5")
    assert not _checked("a < :v", v="9") and not _checked("a > :v", v="0")


def a_missing_attribute_is_unequal_to_everything():
    assert _checked("gone <> :v", v=1) and not _checked("gone = :v", v=1)
    assert not _checked("gone < :v", v=1) and not _checked("gone >= :v", v=1)
    assert _checked("gone <> lost") and not _checked("gone = lost")


def sets_are_equal_in_any_order():
    assert _checked("ss = :v", v={"y", "x"}) and not _checked("ss = :v", v={"x"})
    assert _checked("ns = :v", v={2, 1})


def documents_are_equal_if_all_parts_are():
    assert _checked("l = :v", v=[1, "two", [3]]) and not _checked("l = :v", v=[1, "two"])
    assert _checked("m = :v", v={"y": {"z": "deep"}, "x": 1})


def paths_lead_into_documents():
    assert _checked("m.y.z = :v", v="deep") and _checked("l[2][0] = :v", v=3)
    assert not _checked("m.gone.z = :v", v="deep") and not _checked("l[9] = :v", v=1)


def between_has_inclusive_bounds():
    assert _checked("a BETWEEN :l AND :h", l=5, h=5)
    assert not _checked("a BETWEEN :l AND :h", l=6, h=9)
    assert _checked(":l BETWEEN :h AND a", l=4, h=1)


def between_needs_ordered_bounds():
    with invalid(
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
            "lower bound operand: AttributeValue: {N:6}, "
            "upper bound operand: AttributeValue: {N:5}"):
        _checked("a BETWEEN :l AND :h", l=6, h=5)
    with invalid("The BETWEEN operator requires same data type for lower and upper bounds"):
        _checked("a BETWEEN :l AND :h", l=6, h="7")


def in_finds_one_of_several():
    assert _checked("a IN (:x, :y)", x=1, y=5) and not _checked("a IN (:x, :y)", x=1, y="5")


def in_has_at_most_99_operands_besides_the_first():
    many = {f"v{number}": number for number in range(99)}
    names = ", ".join(f":{name}" for name in many)
    assert _checked(f"a IN ({names})", **many)
    with invalid("The IN operator is provided with too many operands; number of operands: 101"):
        _checked(f"a IN ({names}, :more)", more=1, **many)


def existence_is_tested():
    assert _checked("attribute_exists(m.y) AND attribute_not_exists(m.q)")
    assert _checked("attribute_exists(nil)")
    assert not _checked("attribute_exists(l[7])")


def a_type_is_tested():
    for path, kind in (
            ("a", "N"), ("s", "S"), ("b", "B"), ("l", "L"), ("m", "M"), ("ss", "SS"), ("ns", "NS"),
            ("yes", "BOOL"), ("nil", "NULL")):
        assert _checked(f"attribute_type({path}, :t)", t=kind), path
    with invalid("Invalid attribute type name found; type: string, valid types: {"):
        _checked("attribute_type(a, :t)", t="string")


def a_beginning_is_tested():
    assert _checked("begins_with(s, :v)", v="hel") and _checked("begins_with(b, :v)", v=b"a")
    assert not _checked("begins_with(a, :v)", v="5")
    with invalid("operator or function: begins_with, operand type: N"):
        _checked("begins_with(s, :v)", v=5)


def containment_is_tested():
    assert _checked("contains(s, :v)", v="ell") and _checked("contains(ss, :v)", v="x")
    assert _checked("contains(ns, :v)", v=2) and _checked("contains(l, :v)", v="two")
    assert _checked("contains(l, :v)", v=[3]) and not _checked("contains(a, :v)", v=5)


def a_size_is_compared():
    for path, size in (("s", 5), ("b", 3), ("l", 3), ("m", 2), ("ss", 2)):
        assert _checked(f"size({path}) = :v", v=size), path
    assert not _checked("size(a) > :v", v=-1)


def not_binds_more_than_and_and_and_more_than_or():
    assert _checked("NOT a = :x AND a = :v OR a = :v", x=1, v=5)
    assert _checked("a = :v OR a = :v AND a = :x", x=1, v=5)
    assert not _checked("(a = :v OR a = :v) AND a = :x", x=1, v=5)
    assert _checked("NOT NOT a = :v", v=5)


_WIDE_SUBJECT = {
    "n": 5, "m": 5, "s": "hello", "é": "x", "b": b"\1\2\3", "t": True, "u": None,
    "l": [1, "x", ["deep"]], "d": {"x": 1, "y": {"z": "in"}}, "ss": {"a", "b"}, "ns": {1, 2},
    "nested": [{"p", "q"}], "dot.ted": "dot",
}
_BOUND = {
    ":v5": decimal.Decimal("5.00"), ":one": 1, ":two": 2, ":three": 3, ":five": 5, ":six": 6,
    ":text5": "5", ":hello": "hello", ":he": "he", ":ell": "ell", ":empty": "", ":x": "x",
    ":part": b"\2\3", ":kindS": "S", ":deep": "deep", ":yes": True, ":nil": None,
}
_TRUE = """
n = :v5; n = m; gone <> away; NOT gone = :five; n BETWEEN :five AND :five
attribute_exists(d.x); attribute_exists(l[2][0]); attribute_not_exists(gone.x.y[3])
NOT attribute_exists(gone); begins_with(s, :empty); begins_with(:hello, :he); contains(b, :part)
contains(l, :one); contains(:hello, s); size(ns) >= :two; size(n) <> :one; size(:hello) = n
size(s) = size(:hello); #e = :x; size(#dot) = :three; t = :yes; u = :nil
(n) = (:five); n=:five AND(s=:hello); NOT n BETWEEN :one AND :six OR n = :five
n = :six AND n = :six OR n = :five; NOT (n = :six AND n = :five)
"""
_FALSE = """
n <> m; n < m; gone = away; gone BETWEEN :one AND :six; gone IN (:one); n >= :text5
attribute_exists(l.x); attribute_exists(s[0]); attribute_exists(d.q); attribute_type(n, :kindS)
attribute_type(gone, :kindS); begins_with(s, :ell); begins_with(gone, :he); contains(s, :x)
contains(ss, :he); contains(l, :deep); contains(gone, :x); contains(d, :x); size(t) = :one
size(gone) = :one; t = :nil; d < n; t >= :five; NOT n = :five
"""


def conditions_have_these_results():
    key = unique()
    put(plain(), p=key, **_WIDE_SUBJECT)
    for conditions, expected in ((_TRUE, True), (_FALSE, False)):
        for condition in conditions.strip().replace("\n", "; ").split("; "):
            # The item stays: the update changes nothing.
            update = {"TableName": plain(), "Key": item(p=key), "ConditionExpression": condition}
            names = used({"#e": "é", "#dot": "dot.ted"}, condition)
            bound = used(_BOUND, condition)
            if names:
                update["ExpressionAttributeNames"] = names
            if bound:
                update["ExpressionAttributeValues"] = bound
            try:
                client().update_item(**update)
                assert expected, f"{condition} holds"
            except client().exceptions.ConditionalCheckFailedException:
                assert not expected, f"{condition} does not hold"
    for condition, value in (
            ("ss = :v", {"SS": ["b", "a"]}), ("ns = :v", {"NS": ["2", "1.0"]}),
            ("nested = :v", {"L": [{"SS": ["q", "p"]}]})):
        client().update_item(
            TableName=plain(), Key=item(p=key), ConditionExpression=condition,
            ExpressionAttributeValues={":v": value})


def names_are_compared_by_their_bytes():
    key = unique("K")
    put(plain(), p=key, **{"e\u0301": "two", "\u00e9": "one"})
    assert len(get(plain(), p=key)) == 3
    assert get(plain(), p=key.replace("K", "\u212a")) is None


def keywords_have_any_case():
    assert _checked("a bEtWeEn :l aNd :h oR nOt a iN (:l)", l=1, h=9)


def functions_have_one_case():
    with invalid("Invalid ConditionExpression: Invalid function name; function: SIZE"):
        _checked("SIZE(a) > :v", v=1)


def functions_of_updates_are_not_allowed():
    for call in ("if_not_exists(a, :v) = :v", "list_append(l, :v) = :v"):
        with invalid("Invalid ConditionExpression: The function is not allowed"):
            _checked(call, v=1)


def a_function_has_its_number_of_operands():
    with invalid(
            "Incorrect number of operands for operator or function; operator or function: "
            "begins_with, number of operands: 1"):
        _checked("begins_with(s)")


def existence_needs_a_path():
    with invalid(
            "Operator or function requires a document path; operator or function: "
            "attribute_exists"):
        _checked("attribute_exists(:v)", v=1)


def an_operand_differs_from_the_first():
    with invalid("The first operand must be distinct from the remaining operands", "[a]"):
        _checked("a = a")


def a_literal_must_be_ordered_to_be_less():
    with invalid("Incorrect operand type for operator or function; operator or function: <"):
        _checked("a < :v", v=True)


def a_size_is_no_condition():
    with invalid(
            "The function is not allowed to be used this way in an expression; function: size"):
        _checked("size(s)")


def parentheses_are_not_redundant():
    with invalid("Invalid ConditionExpression: The expression has redundant parentheses;"):
        _checked("((a = :v))", v=5)
    assert _checked("(a = :v)", v=5) and _checked("((a = :v) AND (a = :v))", v=5)


def syntax_errors_show_where():
    with invalid('Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="'):
        _checked("a =")
    with invalid('Syntax error; token: "AND", near: "= AND b"'):
        _checked("a = AND b")


def an_expression_is_not_empty():
    with invalid("Invalid ConditionExpression: The expression can not be empty;"):
        _checked("")
    with invalid("Invalid ConditionExpression: The expression can not be empty;"):
        _checked("   ")


def an_expression_has_at_most_4096_bytes():
    with invalid("Expression size has exceeded the maximum allowed size"):
        _checked("attribute_exists(a)" + " " * 4078 + "OR attribute_exists(b)")


def an_expression_has_at_most_300_operators():
    assert _checked("a < s " + "OR (a < s " * 148 + "OR a = :v" + ")" * 148, v=5)
    with invalid("The expression contains too many operators; operator count: 301"):
        _checked("NOT " * 300 + "a = :v", v=5)


def a_reserved_word_is_no_name():
    for word in ("name", "STATUS", "Count", "size"):
        with invalid(f"Attribute name is a reserved keyword; reserved keyword: {word}"):
            _checked(f"{word} = :v", v=1)
    assert not _checked("#n = :v", {"#n": "name"}, v=1)


def a_name_reference_is_one_element():
    key = unique()
    put(plain(), p=key, **{"a.b": 1})
    client().delete_item(
        TableName=plain(), Key=item(p=key), ConditionExpression="#n = :v",
        ExpressionAttributeNames={"#n": "a.b"}, ExpressionAttributeValues=values(v=1))


def references_must_be_defined():
    with invalid(
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #x"):
        _checked("#x = :v", v=1)
    with invalid(
            "An expression attribute value used in expression is not defined; "
            "attribute value: :w"):
        _checked("a = :w", v=1)


def references_must_be_used():
    with invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"):
        _checked("a = :v", {"#x": "a"}, v=1)
    with invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"):
        _checked("a = :v", v=1, w=2)


def references_need_an_expression():
    with invalid("ExpressionAttributeNames can only be specified when using expressions"):
        client().delete_item(
            TableName=plain(), Key=item(p="a"), ExpressionAttributeNames={"#x": "a"})
    with invalid(
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null"):
        client().delete_item(
            TableName=plain(), Key=item(p="a"), ExpressionAttributeValues=values(v=1))


def references_have_a_form():
    with invalid("ExpressionAttributeNames must not be empty"):
        client().delete_item(
            TableName=plain(), Key=item(p="a"), ConditionExpression="a = b",
            ExpressionAttributeNames={})
    with invalid('ExpressionAttributeNames contains invalid key: Syntax error; key: "x"'):
        _checked("a = :v", {"x": "a"}, v=1)
    with invalid("ExpressionAttributeValues must not be empty"):
        client().delete_item(
            TableName=plain(), Key=item(p="a"), ConditionExpression="a = b",
            ExpressionAttributeValues={})


def an_invalid_value_names_its_key():
    with invalid(
            "ExpressionAttributeValues contains invalid value: ",
            "An string set  may not be empty for key :v"):
        client().delete_item(
            TableName=plain(), Key=item(p="a"), ConditionExpression="a = :v",
            ExpressionAttributeValues={":v": {"SS": []}})


def a_failed_condition_changes_nothing():
    key = unique()
    put(plain(), p=key, a=1)
    with failed_condition():
        client().put_item(
            TableName=plain(), Item=item(p=key, a=2), ConditionExpression="a = :v",
            ExpressionAttributeValues=values(v=9))
    assert get(plain(), p=key) == item(p=key, a=1)


def a_failed_condition_returns_the_item_if_asked():
    key = unique()
    put(plain(), p=key, a=1)
    try:
        client().delete_item(
            TableName=plain(), Key=item(p=key), ConditionExpression="attribute_exists(gone)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD")
    except client().exceptions.ConditionalCheckFailedException as error:
        assert error.response["Item"] == item(p=key, a=1)
    else:
        raise AssertionError("the condition held")
    try:
        client().delete_item(
            TableName=plain(), Key=item(p=unique()), ConditionExpression="attribute_exists(gone)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD")
    except client().exceptions.ConditionalCheckFailedException as error:
        assert "Item" not in error.response


def a_condition_on_a_missing_item_has_no_attributes():
    with failed_condition():
        client().update_item(
            TableName=plain(), Key=item(p=unique()), UpdateExpression="SET a = :v",
            ConditionExpression="a = :v", ExpressionAttributeValues=values(v=1))


def conditions_are_checked_before_the_table():
    with invalid("The expression can not be empty;"):
        client().put_item(TableName="absent", Item=item(p="a"), ConditionExpression="")
    with refused("ResourceNotFoundException"):
        client().put_item(
            TableName="absent", Item=item(p="a"), ConditionExpression="attribute_exists(p)")
