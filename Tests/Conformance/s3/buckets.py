"""Buckets: names, lists, deletion."""

import re

import boto3
from harness.cases import differs
from s3._s3 import bucket, client, put, raw, refused, unique


def a_bucket_is_created_with_its_location():
    name = unique("bucket")
    assert client().create_bucket(Bucket=name)["Location"] == f"/{name}"
    client().head_bucket(Bucket=name)


def creating_it_again_succeeds_in_us_east_1():
    name = bucket("k")
    client().create_bucket(Bucket=name)
    assert client().get_object(Bucket=name, Key="k")["Body"].read() == b"k"


def creating_it_again_elsewhere_is_a_conflict():
    name = unique("bucket")
    ireland = boto3.client("s3", region_name="eu-west-1")
    place = {"Bucket": name, "CreateBucketConfiguration": {"LocationConstraint": "eu-west-1"}}
    ireland.create_bucket(**place)
    with refused("BucketAlreadyOwnedByYou", 409):
        ireland.create_bucket(**place)
    assert ireland.get_bucket_location(Bucket=name)["LocationConstraint"] == "eu-west-1"
    for location, code in (
        ("us-west-2", "IllegalLocationConstraintException"), ("foo", "InvalidLocationConstraint")
    ):
        place["CreateBucketConfiguration"] = {"LocationConstraint": location}
        with refused(code, 400):
            ireland.create_bucket(**place)


def a_malformed_configuration_creates_no_bucket():
    name = unique("bucket")
    raw("PUT", f"/{name}", body=b"<Bucket/>").refuses("MalformedXML", 400)
    assert raw("HEAD", f"/{name}").status == 404


def a_bucket_may_be_in_the_host_name():
    host = {"Host": f"{unique('hosted')}.s3.localhost:8001"}
    assert raw("PUT", "/", host).status == 200
    assert raw("PUT", "/k", host, b"x").status == 200
    assert raw("GET", f"/{host['Host'].split('.')[0]}/k").body == b"x"


def names_have_3_to_63_lower_case_letters_digits_dots_and_hyphens():
    for name in ("abc", "a.b", "1-2", "a" * 63):
        client().create_bucket(Bucket=name)
        client().delete_bucket(Bucket=name)


def other_names_are_invalid():
    for name in ("ab", "a" * 64, "Upper", "under_score", "-begin", "end-", "two..dots"):
        raw("PUT", f"/{name}").refuses("InvalidBucketName", 400)
    raw("PUT", "/a%2Fb").refuses("InvalidBucketName", 400)


def a_name_is_no_address():
    raw("PUT", "/192.168.5.4").refuses("InvalidBucketName", 400)


def heading_a_bucket_says_its_region():
    headers = client().head_bucket(Bucket=bucket())["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-bucket-region"] == "us-east-1"


def heading_a_missing_bucket_is_404_without_a_body():
    answer = raw("HEAD", "/no-such-bucket-here")
    assert (answer.status, answer.body) == (404, b"")


def the_location_of_us_east_1_is_empty():
    assert client().get_bucket_location(Bucket=bucket())["LocationConstraint"] is None


def a_missing_bucket_is_named_in_the_error():
    with refused("NoSuchBucket", 404, "does not exist", BucketName="gone-bucket"):
        client().list_objects_v2(Bucket="gone-bucket")


def every_operation_on_a_missing_bucket_is_404():
    name = "gone-bucket"
    for call in (
        lambda: client().put_object(Bucket=name, Key="k", Body=b""),
        lambda: client().get_object(Bucket=name, Key="k"),
        lambda: client().delete_object(Bucket=name, Key="k"),
        lambda: client().delete_bucket(Bucket=name),
        lambda: client().create_multipart_upload(Bucket=name, Key="k"),
        lambda: client().list_object_versions(Bucket=name),
        lambda: client().get_bucket_acl(Bucket=name),
        lambda: client().get_bucket_cors(Bucket=name),
    ):
        with refused("NoSuchBucket", 404):
            call()


def a_missing_bucket_is_404_without_a_signature():
    raw("GET", "/gone-bucket/k", signed=False).refuses("NoSuchBucket", 404)
    raw("DELETE", "/gone-bucket/k", signed=False).refuses("NoSuchBucket", 404)
    raw("GET", "/gone-bucket?cors", signed=False).refuses("NoSuchBucket", 404)
    raw("PUT", "/gone-bucket", signed=False).refuses("AccessDenied", 403)


def a_bucket_that_exists_is_403_without_a_signature():
    raw("GET", f"/{bucket('k')}/k", signed=False).refuses("AccessDenied", 403)


def a_bucket_with_objects_is_not_deleted():
    name = bucket("k")
    with refused("BucketNotEmpty", 409, BucketName=name):
        client().delete_bucket(Bucket=name)


def an_empty_bucket_is_deleted():
    name = bucket("k")
    client().delete_object(Bucket=name, Key="k")
    answer = client().delete_bucket(Bucket=name)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    with refused("404", 404):
        client().head_bucket(Bucket=name)


def buckets_are_listed_by_name():
    names = {bucket(), bucket()}
    listed = [entry["Name"] for entry in client().list_buckets()["Buckets"]]
    assert names <= set(listed)
    assert listed == sorted(listed)
    date = rb"<CreationDate>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z<"
    assert re.search(date, raw("GET", "/").body)


def a_list_of_buckets_has_pages():
    prefix = unique("paged") + "-"
    wanted = [f"{prefix}{letter}" for letter in "abc"]
    for name in wanted:
        client().create_bucket(Bucket=name)
    first = client().list_buckets(Prefix=prefix, MaxBuckets=2)
    assert [entry["Name"] for entry in first["Buckets"]] == wanted[:2]
    rest = client().list_buckets(
        Prefix=prefix, MaxBuckets=2, ContinuationToken=first["ContinuationToken"])
    assert [entry["Name"] for entry in rest["Buckets"]] == wanted[2:]
    assert "ContinuationToken" not in rest


def an_empty_token_begins_the_list_of_buckets():
    name = bucket()
    listed = client().list_buckets(Prefix=name, ContinuationToken="")
    assert [entry["Name"] for entry in listed["Buckets"]] == [name]


def a_paged_list_says_region_and_arn():
    name = bucket()
    entry = client().list_buckets(Prefix=name, MaxBuckets=1)["Buckets"][0]
    assert entry["BucketRegion"] == "us-east-1"
    assert entry["BucketArn"] == f"arn:aws:s3:::{name}"


def buckets_of_another_region_are_not_listed():
    assert client().list_buckets(Prefix=bucket(), BucketRegion="eu-west-1")["Buckets"] == []


def pages_have_1_to_10000_buckets():
    for query in ("max-buckets=0", "max-buckets=10001", "max-buckets=x", "continuation-token=%21"):
        raw("GET", f"/?{query}").refuses("InvalidArgument", 400)


def the_expected_owner_is_compared():
    name = bucket()
    client().list_objects_v2(Bucket=name, ExpectedBucketOwner="123456789012")
    with refused("AccessDenied", 403):
        client().list_objects_v2(Bucket=name, ExpectedBucketOwner="999999999999")
    with refused("InvalidBucketOwnerAWSAccountID", 400, "must be an AWS Account ID... [me]"):
        client().list_objects_v2(Bucket=name, ExpectedBucketOwner="me")


def versioning_was_never_enabled():
    assert "Status" not in client().get_bucket_versioning(Bucket=bucket())


@differs("buckets have no versions")
def versioning_can_be_enabled():
    name = bucket()
    client().put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    assert put(name, "k", b"1")["VersionId"] != put(name, "k", b"2")["VersionId"]


@differs("a bucket's policy is in the template")
def a_policy_can_be_put():
    name = bucket()
    with refused("NoSuchBucketPolicy", 404):
        client().get_bucket_policy(Bucket=name)


@differs("buckets have no tags")
def a_bucket_has_tags():
    name = bucket()
    tags = {"TagSet": [{"Key": "a", "Value": "b"}]}
    client().put_bucket_tagging(Bucket=name, Tagging=tags)
    assert client().get_bucket_tagging(Bucket=name)["TagSet"] == tags["TagSet"]


@differs("buckets have no lifecycle")
def a_bucket_has_a_lifecycle():
    with refused("NoSuchLifecycleConfiguration", 404):
        client().get_bucket_lifecycle_configuration(Bucket=bucket())


@differs("buckets have no website")
def a_bucket_has_a_website():
    with refused("NoSuchWebsiteConfiguration", 404):
        client().get_bucket_website(Bucket=bucket())


def a_location_must_be_a_region_but_not_us_east_1():
    for location in ("foo", "aws-global", "us-east-1"):
        with refused("InvalidLocationConstraint", 400, LocationConstraint=location):
            client().create_bucket(
                Bucket=unique("bucket"),
                CreateBucketConfiguration={"LocationConstraint": location})
    for location in ("eu-west-1", "EU"):
        client().create_bucket(
            Bucket=unique("bucket"), CreateBucketConfiguration={"LocationConstraint": location})
