"""Items: put, get, delete, values and sizes."""

from dynamodb._db import (
    client, failed_condition, get, invalid, item, make, plain, put, refused, sorted_table, unique,
    values,
)


def a_put_item_is_returned_unchanged():
    key = unique()
    attributes = {
        "s": 'ä\0"\\\n\t😀', "n": 42, "b": b"\x00\xff", "yes": True, "no": False, "nothing": None,
        "l": ["x", 1, [2]], "m": {"a": {"b": 1}}, "ss": {"a", "b"}, "ns": {1, 2}, "bs": {b"a"},
        "empty": "", "emptylist": [], "emptymap": {},
    }
    put(plain(), p=key, **attributes)
    assert get(plain(), p=key) == item(p=key, **attributes)


def a_put_replaces_the_whole_item():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    put(plain(), p=key, c=3)
    assert get(plain(), p=key) == item(p=key, c=3)


def a_put_returns_the_old_item_if_asked():
    key = unique()
    put(plain(), p=key, a=1)
    answer = client().put_item(TableName=plain(), Item=item(p=key, a=2), ReturnValues="ALL_OLD")
    assert answer["Attributes"] == item(p=key, a=1)


def a_first_put_returns_no_old_item():
    answer = client().put_item(TableName=plain(), Item=item(p=unique()), ReturnValues="ALL_OLD")
    assert "Attributes" not in answer


def a_put_cannot_return_new_values():
    for choice in ("ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
        with invalid("ReturnValues can only be ALL_OLD or NONE"):
            client().put_item(TableName=plain(), Item=item(p="a"), ReturnValues=choice)


def return_values_are_case_sensitive():
    with invalid(
            "1 validation error detected: Value 'all_old' at 'returnValues' failed to satisfy "
            "constraint: Member must satisfy enum value set: "
            "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"):
        client().put_item(TableName=plain(), Item=item(p="a"), ReturnValues="all_old")


def a_missing_item_is_no_error():
    assert get(plain(), p=unique()) is None


def a_delete_of_a_missing_item_succeeds():
    answer = client().delete_item(
        TableName=plain(), Key=item(p=unique()), ReturnValues="ALL_OLD")
    assert "Attributes" not in answer


def a_delete_returns_the_old_item_if_asked():
    key = unique()
    put(plain(), p=key, a=1)
    answer = client().delete_item(TableName=plain(), Key=item(p=key), ReturnValues="ALL_OLD")
    assert answer["Attributes"] == item(p=key, a=1)
    assert get(plain(), p=key) is None


def a_put_needs_every_key_attribute():
    with invalid("One or more parameter values were invalid: Missing the key c in the item"):
        put(sorted_table(), p="a")


def a_put_checks_the_type_of_the_key():
    with invalid("Type mismatch for key p expected: S actual: N"):
        put(plain(), p=1)


def a_key_has_exactly_the_keys_attributes():
    for call in (client().get_item, client().delete_item, client().update_item):
        for key in (item(), item(q="a"), item(p="a", c="b"), item(p=1)):
            with invalid("The provided key element does not match the schema"):
                call(TableName=plain(), Key=key)


def a_key_is_not_empty():
    for value in ("", b""):
        table = make(["p"], {"p": "S" if isinstance(value, str) else "B"})
        with invalid(
                "One or more parameter values are not valid. The AttributeValue for a key "
                "attribute cannot contain an empty", "Key: p"):
            put(table, p=value)


def a_partition_key_has_at_most_2048_bytes():
    put(plain(), p="k" * 2048)
    with invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"):
        put(plain(), p="k" * 2049)


def a_sort_key_has_at_most_1024_bytes():
    put(sorted_table(), p="a", c="k" * 1024)
    with invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"):
        put(sorted_table(), p="a", c="k" * 1025)


def an_item_has_at_most_400_kilobytes():
    key = "size"
    put(plain(), p=key, x="x" * (400 * 1024 - len("p") - len(key) - len("x")))
    with invalid("Item size has exceeded the maximum allowed size"):
        put(plain(), p=key, x="x" * (400 * 1024 - len("p") - len(key)))


def an_update_cannot_make_an_item_too_large():
    key = unique()
    put(plain(), p=key, x="x" * (399 * 1024))
    with invalid("Item size to update has exceeded the maximum allowed size"):
        client().update_item(
            TableName=plain(), Key=item(p=key), UpdateExpression="SET y = :y",
            ExpressionAttributeValues=values(y="y" * 2048))


def an_attributes_name_is_not_empty():
    with invalid("Empty attribute name"):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "": {"S": "b"}})


def an_attributes_name_has_at_most_65535_bytes():
    put(plain(), p=unique(), **{"n" * 65535: 1})
    with invalid("65536"):
        put(plain(), p=unique(), **{"n" * 65536: 1})


def an_empty_set_is_refused():
    for kind, text in (
            ("SS", "An string set  may not be empty"), ("NS", "An number set  may not be empty"),
            ("BS", "Binary sets should not be empty")):
        for value in ({kind: []}, {"L": [{kind: []}]}, {"M": {"a": {kind: []}}}):
            with invalid(text):
                client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": value})


def a_set_has_no_duplicates():
    with invalid("Input collection [a, a] contains duplicates."):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": {"SS": ["a", "a"]}})
    with invalid("Input collection contains duplicates"):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": {"NS": ["1", "1.0"]}})


def a_null_is_true():
    with invalid("Null attribute value types must have the value of true"):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": {"NULL": False}})


def a_value_has_exactly_one_type():
    with invalid("Supplied AttributeValue is empty, must contain exactly one of the supported"):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": {}})
    with invalid("Supplied AttributeValue has more than one datatypes set"):
        client().put_item(TableName=plain(), Item={"p": {"S": "a"}, "x": {"S": "a", "N": "1"}})


def values_nest_to_32_levels():
    def nested(levels):
        value = "x"
        for level in range(levels):
            value = [value] if level % 2 else {"a": value}
        return value

    put(plain(), p=unique(), x=nested(31))
    for levels in (32, 60):
        with invalid(
                "Nesting Levels have exceeded supported limits", "nested levels beyond supported"):
            put(plain(), p=unique(), x=nested(levels))


def a_missing_table_is_named_in_no_item_error():
    with refused("ResourceNotFoundException", "Requested resource not found"):
        put("absent", p="a")
    with refused("ResourceNotFoundException"):
        get("absent", p="a")


def an_item_needs_a_table():
    with invalid("Value null at 'tableName' failed to satisfy constraint: Member must not be null"):
        client().put_item(Item=item(p="a"))


def a_tables_name_has_limits():
    constraint = "at 'tableName' failed to satisfy constraint: Member must"
    with invalid(f"Value '' {constraint} have length greater than or equal to 1"):
        put("", p="a")
    with invalid(f"Value 'a b!' {constraint} satisfy regular expression pattern: [a-zA-Z0-9_.-]+"):
        put("a b!", p="a")
    with invalid(f"{constraint} have length less than or equal to 255"):
        put("n" * 256, p="a")


def a_table_is_also_found_by_its_arn():
    key = unique()
    put(plain(), p=key)
    arn = client().describe_table(TableName=plain())["Table"]["TableArn"]
    assert get(arn, p=key) == item(p=key)


def a_binary_key_is_compared_by_its_bytes():
    table = make(["p", "c"], {"p": "B", "c": "B"})
    for last in (b"\x00", b"\x7f", b"\x80", b"\xff"):
        put(table, p=b"\x01", c=last)
    assert get(table, p=b"\x01", c=b"\x80") == item(p=b"\x01", c=b"\x80")
    assert get(table, p=b"\x01", c=b"\x81") is None


def a_projection_selects_parts():
    key = unique()
    put(plain(), p=key, a=1, m={"x": {"y": 2}, "z": 3}, l=[0, 1, [2]])
    answer = client().get_item(
        TableName=plain(), Key=item(p=key), ConsistentRead=True,
        ProjectionExpression="a, m.x.y, l[2][0], l[0], gone, m.gone, l[9], m.z.q")
    assert answer["Item"] == item(a=1, m={"x": {"y": 2}}, l=[0, [2]])


def a_projection_of_nothing_is_an_empty_item():
    key = unique()
    put(plain(), p=key)
    answer = client().get_item(
        TableName=plain(), Key=item(p=key), ConsistentRead=True, ProjectionExpression="gone")
    assert answer["Item"] == {}


def paths_of_a_projection_do_not_overlap():
    with invalid(
            "Invalid ProjectionExpression: Two document paths overlap with each other; must "
            "remove or rewrite one of these paths; path one: [a], path two: [a, b]"):
        client().get_item(
            TableName=plain(), Key=item(p="a"), ProjectionExpression="a, a.b")


def a_path_has_at_most_32_elements():
    client().get_item(
        TableName=plain(), Key=item(p="a"), ProjectionExpression="a" + ".b" * 31)
    with invalid("The document path has too many nesting levels; nesting levels: 33"):
        client().get_item(
            TableName=plain(), Key=item(p="a"), ProjectionExpression="a" + ".b" * 32)


def a_list_index_has_a_limit():
    with invalid(
            "Invalid ProjectionExpression: List index is not within the allowable range; "
            "index: [99999999999]"):
        client().get_item(
            TableName=plain(), Key=item(p="a"), ProjectionExpression="a[99999999999]")


def attributes_to_get_selects_attributes():
    key = unique()
    put(plain(), p=key, a=1, b=2)
    answer = client().get_item(
        TableName=plain(), Key=item(p=key), ConsistentRead=True, AttributesToGet=["a", "gone"])
    assert answer["Item"] == item(a=1)


def attributes_to_get_names_something_once():
    with invalid("Member must have length greater than or equal to 1"):
        client().get_item(TableName=plain(), Key=item(p="a"), AttributesToGet=[])
    with invalid("Duplicate value in attribute name: a"):
        client().get_item(TableName=plain(), Key=item(p="a"), AttributesToGet=["a", "a"])


def a_condition_decides_a_put():
    key = unique()
    put(plain(), p=key)
    with failed_condition():
        client().put_item(
            TableName=plain(), Item=item(p=key), ConditionExpression="attribute_not_exists(p)")
