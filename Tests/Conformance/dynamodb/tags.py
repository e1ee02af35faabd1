"""Tags."""

from dynamodb._db import call, client, definition, index, invalid, make, refused


def _arn(table):
    return client().describe_table(TableName=table)["Table"]["TableArn"]


def _made(**more):
    return _arn(make(["p"], **more))


def _tags(arn):
    found = client().list_tags_of_resource(ResourceArn=arn)["Tags"]
    return {tag["Key"]: tag["Value"] for tag in found}


def _tag(arn, **tags):
    client().tag_resource(
        ResourceArn=arn, Tags=[{"Key": key, "Value": value} for key, value in tags.items()])


def tags_are_added_replaced_and_removed():
    arn = _made()
    assert _tags(arn) == {}
    _tag(arn, a="1", b="2")
    _tag(arn, b="3", c="")
    assert _tags(arn) == {"a": "1", "b": "3", "c": ""}
    client().untag_resource(ResourceArn=arn, TagKeys=["a", "gone"])
    assert _tags(arn) == {"b": "3", "c": ""}
    answer = call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "d", "Value": "4"}]})
    assert (answer.status, answer.body) == (200, b"")
    answer = call("UntagResource", {"ResourceArn": arn, "TagKeys": ["d"]})
    assert (answer.status, answer.body) == (200, b"")


def a_table_is_created_with_tags():
    assert _tags(_made(Tags=[{"Key": "a", "Value": "1"}])) == {"a": "1"}


def tags_have_letters_of_any_script():
    arn = _made()
    _tag(arn, **{"ключ 1": "значение", "key_.:/=+-@": " "})
    assert _tags(arn) == {"ключ 1": "значение", "key_.:/=+-@": " "}


def other_characters_are_refused():
    arn = _made()
    with invalid("The Tag Value '<' is invalid: it contains invalid characters"):
        _tag(arn, ok="<")
    for key in ("!", "a;b"):
        with invalid():
            _tag(arn, **{key: "ok"})


def a_key_has_1_to_128_characters_and_a_value_at_most_256():
    arn = _made()
    _tag(arn, **{"k" * 128: "v" * 256})
    for key, value in (("", "v"), ("k" * 129, "v"), ("k", "v" * 257)):
        with invalid("failed to satisfy constraint: Member must have length"):
            _tag(arn, **{key: value})


def a_tag_has_a_key_and_a_value():
    arn = _made()
    for tag in ({"Key": "a"}, {"Value": "a"}):
        with invalid("Member must not be null"):
            client().tag_resource(ResourceArn=arn, Tags=[tag])


def a_table_has_at_most_50_tags():
    arn = _made()
    _tag(arn, **{f"k{number}": "v" for number in range(50)})
    _tag(arn, k49="v")
    with invalid():
        _tag(arn, more="v")
    assert len(_tags(arn)) == 50
    with invalid():
        client().create_table(**definition(
            ["p"], Tags=[{"Key": f"k{number}", "Value": "v"} for number in range(51)]))


def a_key_occurs_once():
    with invalid("Duplicate tag key found: a"):
        client().tag_resource(
            ResourceArn=_made(),
            Tags=[{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}])


def something_is_added_or_removed():
    arn = _made()
    with invalid("Atleast one Tag needs to be provided as Input."):
        client().tag_resource(ResourceArn=arn, Tags=[])
    with invalid("Atleast one Tag Key needs to be provided as Input."):
        client().untag_resource(ResourceArn=arn, TagKeys=[])
    with invalid("Value null at 'tags' failed to satisfy constraint: Member must not be null"):
        client().tag_resource(ResourceArn=arn)


def a_resource_is_a_table():
    with invalid("ARNs must start with 'arn:'"):
        _tags("nothing")
    with refused("AccessDeniedException", "is not authorized to perform: dynamodb:ListTags"):
        _tags("arn:aws:dynamodb:us-east-1:000000000000:table/absent")
    with invalid("Invalid TableArn"):
        client().list_tags_of_resource()
    with invalid("Invalid TableArn: Invalid ResourceArn provided as input"):
        _tags("arn:aws:dynamodb:us-east-1:123456789012:stream/abc")
    with refused("ResourceNotFoundException", "Requested resource not found: ResourcArn: "):
        _tags(_made() + "x")


def an_index_has_no_tags():
    table = make(["p"], {"g": "S"}, GlobalSecondaryIndexes=[index("all", "g")])
    described = client().describe_table(TableName=table)["Table"]
    with invalid("ResourceArn"):
        _tags(described["GlobalSecondaryIndexes"][0]["IndexArn"])
