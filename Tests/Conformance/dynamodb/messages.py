"""Messages of refusals."""

from dynamodb._db import (
    call, client, compare, item, plain, refusal, sorted_table, used, wire,
)

_SYNTAX = 'Syntax error; token: "{}", near: "{}"'
_TYPE = (
    "Incorrect operand type for operator or function; operator or function: {}, operand type: {}")
_COUNT = (
    "Incorrect number of operands for operator or function; operator or function: {}, number of "
    "operands: {}")
_PATH = "Operator or function requires a document path; operator or function: {}"
_PLACE = "The function is not allowed to be used this way in an expression; function: {}"
_NAME = "Invalid function name; function: {}"
_RESERVED = "Attribute name is a reserved keyword; reserved keyword: {}"
_SAME = (
    "The first operand must be distinct from the remaining operands for this operator or "
    "function; operator: {}, first operand: {}")
_SECTION = 'The "{}" section can only be used once in an update expression;'
_UPDATE_TYPE = (
    "Incorrect operand type for operator or function; operator: {}, operand type: {}")
_PATHS = (
    "Two document paths {} with each other; must remove or rewrite one of these paths; path one: "
    "{}, path two: {}")
_BOUND = {":n": 1, ":m": 3, ":s": "x", ":l": [], ":b": True, ":z": {"a"}}

_CONDITIONS = (
    ("a = =", _SYNTAX, "=", "= ="),
    ("a", _SYNTAX, "<EOF>", "a"),
    ("a b", _SYNTAX, "b", "a b"),
    ("attribute_exists(a) attribute_exists(b)", _SYNTAX, "attribute_exists", ") attribute_exists("),
    ("a = :n AND", _SYNTAX, "<EOF>", "AND"),
    ("a = :n AND _b = :s", _SYNTAX, "_", "AND _b"),
    ("!!! = :n", _SYNTAX, "!", "!!"),
    ("a[:n] = :s", _SYNTAX, ":n", "[:n]"),
    ("a[-1] = :s", _SYNTAX, "-", "[-1"),
    ("a.1 = :s", _SYNTAX, "1", ".1 ="),
    ("a = # ", _SYNTAX, "#", "= #"),
    ("(a = :n", _SYNTAX, "<EOF>", ":n"),
    ("size()", _SYNTAX, ")", "()"),
    ("not a = :n and a begins_with", _SYNTAX, "begins_with", "a begins_with"),
    ("a.Status = :s", _RESERVED, "Status"),
    ("NOT ((a = :n OR b = :n))", "The expression has redundant parentheses;"),
    ("dog(a)", _NAME, "dog"),
    ("size(a, b) = :n", _COUNT, "size", 2),
    ("attribute_exists(a, b)", _COUNT, "attribute_exists", 2),
    ("a < :l", _TYPE, "<", "L"),
    ("a BETWEEN :b AND :n", _TYPE, "BETWEEN", "BOOL"),
    ("size(:n) = :m", _TYPE, "size", "N"),
    ("contains(:b, a)", _TYPE, "contains", "BOOL"),
    ("attribute_type(a, :n)", _TYPE, "attribute_type", "N"),
    ("attribute_type(a, :s)", "Invalid attribute type name found; type: x, valid types: "
     "{{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"),
    ("attribute_not_exists(size(a))", _PATH, "attribute_not_exists"),
    ("size(size(a)) = :n", _PLACE, "size"),
    ("attribute_exists(a) = :b", _PLACE, "attribute_exists"),
    ("a = a", _SAME, "=", "[a]"),
    ("l < l", _SAME, "<", "[l]"),
    ("a.b[1] <> a.b[1]", _SAME, "<>", "[a, b, [1]]"),
    ("a IN (:n, a)", _SAME, "IN", "[a]"),
    ("a BETWEEN :n AND :s", "The BETWEEN operator requires same data type for lower and upper "
     "bounds; lower bound operand: AttributeValue: {{N:1}}, upper bound operand: AttributeValue: "
     "{{S:x}}"),
    ("attribute_exists(" + "a" * 4096 + ")",
     "Expression size has exceeded the maximum allowed size; expression size: 4114"),
)
_UPDATES = (
    ("SET", _SYNTAX, "<EOF>", "SET"),
    ("HELLO a = :n", _SYNTAX, "HELLO", "HELLO a"),
    ("SET a = :n,", _SYNTAX, "<EOF>", ","),
    ("SET a = :n + :m + :n", _SYNTAX, "+", ":m + :n"),
    ("SET :n = :m", _SYNTAX, ":n", "SET :n ="),
    ("SET a = if_not_exists(a, :n + :m)", _SYNTAX, "+", ":n + :m"),
    ("SET a = _f(:n)", _SYNTAX, "_", "= _f"),
    ("REMOVE a = :n", _SYNTAX, "=", "a = :n"),
    ("ADD a b", _SYNTAX, "b", "a b"),
    ("remove a set b = :n Remove c", _SECTION, "REMOVE"),
    ("SET a = f123_hi(:n)", _NAME, "f123_hi"),
    ("SET a = LIST_APPEND(:l, :l)", _NAME, "LIST_APPEND"),
    ("SET a = list_append(:l)", _COUNT, "list_append", 1),
    ("SET a = list_append(:l, :s)", _TYPE, "list_append", "S"),
    ("SET a = :s + :n", _TYPE, "+", "S"),
    ("SET a = if_not_exists(:n, :m)", _PATH, "if_not_exists"),
    ("SET a = list_append(list_append(:l, b), c)", _PLACE, "list_append"),
    ("ADD a :s", _UPDATE_TYPE, "ADD", "STRING"),
    ("ADD a :l", _UPDATE_TYPE, "ADD", "LIST"),
    ("SET a = :n, a.b = :m", _PATHS, "overlap", "[a]", "[a, b]"),
    ("SET a.b[1] = :n, a.b[1][2] = :m", _PATHS, "overlap", "[a, b, [1]]", "[a, b, [1], [2]]"),
    ("SET a.b = :n, a[1] = :m", _PATHS, "conflict", "[a, b]", "[a, [1]]"),
)
_PROJECTIONS = (
    ("a = = b", _SYNTAX, "=", "a = ="),
    ("a,", _SYNTAX, "<EOF>", ","),
    ("a, name", _RESERVED, "name"),
    ("a, a", _PATHS, "overlap", "[a]", "[a]"),
    ("a.b, a[0]", _PATHS, "conflict", "[a, b]", "[a, [0]]"),
)


def _check(rows, call, name):
    """Compares whole messages; a row has an expression, a text and what the text's braces are."""
    def answer(expression):
        bound = used(_BOUND, expression)
        more = {"ExpressionAttributeValues": bound} if bound else {}
        return refusal(call, TableName=plain(), Key=item(p="a"), **{name: expression}, **more)

    compare(
        [(row[0], f"Invalid {name}: {row[1].format(*row[2:])}") for row in rows], answer)


def a_refused_condition_says_why():
    _check(_CONDITIONS, client().delete_item, "ConditionExpression")


def a_refused_update_says_why():
    _check(_UPDATES, client().update_item, "UpdateExpression")


def a_refused_projection_says_why():
    _check(_PROJECTIONS, client().get_item, "ProjectionExpression")


def nesting_has_a_limit():
    def answer(condition):
        return refusal(
            client().put_item, TableName=plain(), Item=item(p="nested"),
            ConditionExpression=condition)

    assert answer("NOT (" * 90 + "attribute_not_exists(q)" + ")" * 90) is None
    assert answer("(" * 2000 + "a").startswith("Invalid ConditionExpression: ")


def a_refused_placeholder_says_why():
    invalid_value = "ExpressionAttributeValues contains invalid value: "
    one = {":n": wire(1)}
    compare((
        ({}, {**one, ":x": wire(1)},
         "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}"),
        ({"#x": "y"}, one,
         "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"),
        ({"#": "y"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"'),
        ({}, {":a!": wire(1)},
         'ExpressionAttributeValues contains invalid key: Syntax error; key: ":a!"'),
        ({}, {":n": {"N": "x"}}, invalid_value
         + "The parameter cannot be converted to a numeric value: x for key :n"),
        ({}, {":n": {}}, invalid_value + "Supplied AttributeValue is empty, must contain exactly "
         "one of the supported datatypes for key :n"),
    ), lambda names, bound: refusal(
        client().delete_item, TableName=plain(), Key=item(p="a"),
        ConditionExpression="attribute_exists(p) OR a = :n",
        **({"ExpressionAttributeNames": names} if names else {}),
        **({"ExpressionAttributeValues": bound} if bound else {})))


def a_placeholder_needs_an_expression():
    names = {"ExpressionAttributeNames": {"#x": "y"}}
    bound = {"ExpressionAttributeValues": {":x": wire(1)}}
    only = "can only be specified when using expressions"
    key, put = {"Key": item(p="a")}, {"Item": item(p="a")}
    compare((
        (client().put_item, put | names, f"ExpressionAttributeNames {only}"),
        (client().put_item, put | bound,
         f"ExpressionAttributeValues {only}: ConditionExpression is null"),
        (client().update_item, key | bound, f"ExpressionAttributeValues {only}: UpdateExpression "
         "and ConditionExpression are null"),
        (client().get_item, key | names, f"ExpressionAttributeNames {only}"),
    ), lambda call, more: refusal(call, TableName=plain(), **more))


_CONSTRAINT = "failed to satisfy constraint: Member must"


def all_violations_are_listed():
    token = "1234567890123456789012345678901234567"
    compare((
        (client().put_item, {}, "2 validation errors detected: Value null at 'tableName' "
         f"{_CONSTRAINT} not be null; Value null at 'item' {_CONSTRAINT} not be null"),
        (client().get_item, {"TableName": "a", "Key": {}}, "1 validation error detected: Value "
         f"'a' at 'tableName' {_CONSTRAINT} have length greater than or equal to 3"),
        (client().scan, {"TableName": "abc;", "Limit": 0, "ReturnConsumedCapacity": "x"},
         "3 validation errors detected: Value 'abc;' at 'tableName' "
         f"{_CONSTRAINT} satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value '0' at "
         f"'limit' {_CONSTRAINT} have value greater than or equal to 1; Value 'x' at "
         f"'returnConsumedCapacity' {_CONSTRAINT} satisfy enum value set: [INDEXES, TOTAL, NONE]"),
        (client().transact_write_items, {"TransactItems": [], "ClientRequestToken": token},
         f"2 validation errors detected: Value '{token}' at 'clientRequestToken' {_CONSTRAINT} "
         f"have length less than or equal to 36; Value '[]' at 'transactItems' {_CONSTRAINT} have "
         "length greater than or equal to 1"),
    ), lambda call, parameters: refusal(call, **parameters))


def checks_have_an_order():
    """JSON's types, the model, the expression, the table, the key, the condition."""
    put = client().put_item
    answer = call(
        "PutItem", {"TableName": "x", "Item": item(p="a"), "ConditionExpression": 7})
    assert answer.json["Message"] == "NUMBER_VALUE cannot be converted to String"
    found = refusal(put, TableName="x", Item=item(p="a"), ConditionExpression="")
    assert found.startswith("1 validation error detected: "), found
    found = refusal(
        put, TableName=plain(), Item=item(p=1), ConditionExpression="attribute_exists(p)")
    assert found.endswith("Type mismatch for key p expected: S actual: N"), found


_INVALID_KEY = "Invalid KeyConditionExpression: "
_OPERATOR = _INVALID_KEY + "Invalid operator used in KeyConditionExpression: "


def a_refused_key_condition_says_why():
    bound = {":p": "p", ":a": "b", ":z": "d", ":n": 1, ":e": ""}

    def answer(condition):
        return refusal(
            client().query, TableName=sorted_table(), KeyConditionExpression=condition,
            ExpressionAttributeValues=used(bound, condition))

    nested = "KeyConditionExpressions cannot contain nested operations"
    compare((
        ("begins_with(p, :p)", "Query key condition not supported"),
        ("p = :p AND c = :a AND d = :z", "Conditions can be of length 1 or 2 only"),
        ("p = :p OR c = :a", _OPERATOR + "OR"),
        ("p = :p AND contains(c, :a)", _OPERATOR + "contains"),
        ("p = :p AND size(c) = :n", nested),
        ("p = :p AND c.a = :a", nested),
        ("p = :n", "One or more parameter values were invalid: Condition parameter type does not "
         "match schema type"),
        ("p = :e", "One or more parameter values are not valid. The AttributeValue for a key "
         "attribute cannot contain an empty string value. Key: p"),
        ("p = :p AND c BETWEEN :z AND :a", _INVALID_KEY + "The BETWEEN operator requires upper "
         "bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: "
         "{S:d}, upper bound operand: AttributeValue: {S:b}"),
        ("p = :p AND c =", _INVALID_KEY + 'Syntax error; token: "<EOF>", near: "="'),
    ), answer)
