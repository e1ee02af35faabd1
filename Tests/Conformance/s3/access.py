"""Signatures, presigned URLs, ACLs."""

import json
import re
import time

import boto3
from s3._s3 import (
    bucket, client, get, head, keys, presigned, put, raw, read, refused, shared, unique, visit,
)

FULL = "bucket-owner-full-control"
EVERYONE = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'


def _object():
    key = unique()
    put(shared(), key, b"content")
    return key


def a_request_without_a_signature_is_refused():
    raw("GET", f"/{shared()}/{_object()}", signed=False).refuses("AccessDenied", 403)
    raw("POST", f"/{shared()}", signed=False).refuses("AccessDenied", 403)


def a_presigned_url_reads_an_object():
    url = presigned("get_object", Bucket=shared(), Key=_object())
    assert visit(url).body == b"content"


def a_presigned_url_writes_an_object():
    key = unique()
    answer = visit(presigned("put_object", Bucket=shared(), Key=key), "PUT", body=b"new")
    assert answer.status == 200, answer.body
    assert read(shared(), key) == b"new"


def a_presigned_url_is_for_its_method():
    url = presigned("get_object", Bucket=shared(), Key=_object())
    visit(url, "DELETE").refuses("SignatureDoesNotMatch", 403)


def a_presigned_url_is_for_its_object():
    url = presigned("get_object", Bucket=shared(), Key=_object())
    for changed in (
        url.replace("?", "x?", 1), url + "&response-expires=never",
        url.replace("Expires=600", "Expires=60"),
    ):
        visit(changed).refuses("SignatureDoesNotMatch", 403)
    raw("GET", url[url.index("/", 8):url.index("?")], signed=False).refuses("AccessDenied", 403)


def a_presigned_url_is_for_its_headers():
    place = {"Bucket": shared(), "Key": unique("signed ä")}
    url = presigned("put_object", ContentType="text/plain", **place)
    assert visit(url, "PUT", {"Content-Type": "text/plain"}, b"new").status == 200
    visit(url, "PUT", {"Content-Type": "text/html"}, b"x").refuses("SignatureDoesNotMatch", 403)
    assert visit(presigned("head_object", **place), "HEAD").status == 200
    # boto3's default in us-east-1 is version 2.
    url = boto3.client("s3").generate_presigned_url("get_object", Params=place)
    assert visit(url).status == 400 and b"Please use AWS4-HMAC-SHA256" in visit(url).body


def a_presigned_url_may_override_headers():
    url = presigned(
        "get_object", Bucket=shared(), Key=_object(), ResponseContentType="a/b")
    assert visit(url).headers["content-type"] == "a/b"


def an_expired_url_says_when():
    url = presigned("get_object", 1, Bucket=shared(), Key=_object())
    time.sleep(1.1)
    answer = visit(url)
    answer.refuses("AccessDenied", 403)
    assert answer.document["Message"] == "Request has expired"
    assert answer.document["X-Amz-Expires"] == "1"
    for name in ("Expires", "ServerTime"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", answer.document[name])


def a_lifetime_of_zero_has_expired():
    answer = visit(presigned("get_object", 0, Bucket=shared(), Key=_object()))
    answer.refuses("AccessDenied", 403)


def a_lifetime_is_not_negative():
    answer = visit(presigned("get_object", -7, Bucket=shared(), Key=_object()))
    answer.refuses("AuthorizationQueryParametersError", 400)
    assert answer.document["Message"] == "X-Amz-Expires must be non-negative"


def a_lifetime_is_a_week_at_most():
    key = _object()
    assert visit(presigned("get_object", 604_800, Bucket=shared(), Key=key)).status == 200
    answer = visit(presigned("get_object", 604_801, Bucket=shared(), Key=key))
    answer.refuses("AuthorizationQueryParametersError", 400)
    assert "must be less than a week (in seconds)" in answer.document["Message"]


def a_presigned_url_has_all_parameters():
    url = presigned("get_object", Bucket=shared(), Key=_object())
    for name in ("X-Amz-Expires", "X-Amz-Date", "X-Amz-SignedHeaders"):
        visit(url.replace(name, "Other")).refuses("AuthorizationQueryParametersError", 400)


def an_unknown_key_is_named():
    url = presigned("get_object", Bucket=shared(), Key=_object())
    answer = visit(url.replace("X-Amz-Credential=", "X-Amz-Credential=AKIAUNKNOWN"))
    answer.refuses("InvalidAccessKeyId", 403)
    assert answer.document["AWSAccessKeyId"].startswith("AKIAUNKNOWN")


def an_acl_shows_the_owners_full_control():
    name = bucket("k")
    for answer in (
        client().get_bucket_acl(Bucket=name), client().get_object_acl(Bucket=name, Key="k")
    ):
        owner = answer["Owner"]["ID"]
        assert answer["Grants"] == [{
            "Grantee": {"ID": owner, "Type": "CanonicalUser"}, "Permission": "FULL_CONTROL"}]


def an_acl_of_a_missing_object_is_404():
    with refused("NoSuchKey", 404):
        client().get_object_acl(Bucket=shared(), Key="none")


def objects_have_no_acl_of_their_own():
    key = _object()
    for call in (
        lambda: put(shared(), key, ACL="public-read"),
        lambda: put(shared(), key, ACL="private"),
        lambda: put(shared(), key, GrantRead=EVERYONE),
        lambda: client().create_multipart_upload(Bucket=shared(), Key=key, ACL="public-read"),
        lambda: client().copy_object(
            Bucket=shared(), Key=unique(), CopySource=f"{shared()}/{key}", ACL="public-read"),
        lambda: client().copy_object(
            Bucket=shared(), Key=unique(), CopySource=f"{shared()}/{key}", ACL="public-read",
            MetadataDirective="REPLACE"),
        lambda: client().create_multipart_upload(Bucket=shared(), Key=key, GrantRead=EVERYONE),
        lambda: client().put_object_acl(Bucket=shared(), Key=key, ACL="public-read"),
        lambda: client().put_object_acl(Bucket=shared(), Key=key),
        lambda: client().put_bucket_acl(Bucket=shared(), ACL="private"),
    ):
        with refused(
            "AccessControlListNotSupported", 400, "The bucket does not allow ACLs"
        ):
            call()


def the_owners_full_control_may_be_asked_for():
    key = unique()
    put(shared(), key, ACL=FULL)
    client().create_multipart_upload(Bucket=shared(), Key=key, ACL=FULL)
    client().copy_object(
        Bucket=shared(), Key=unique(), CopySource=f"{shared()}/{key}", ACL=FULL)
    client().put_object_acl(Bucket=shared(), Key=key, ACL=FULL)


def a_bucket_is_created_without_an_acl():
    for more in ({"ACL": "public-read"}, {"GrantRead": EVERYONE}):
        with refused("InvalidBucketAclWithObjectOwnership", 400):
            client().create_bucket(Bucket=unique("bucket"), **more)
    with refused("NotImplemented", 501):
        client().create_bucket(Bucket=unique("bucket"), ObjectOwnership="ObjectWriter")
    for more in ({"ACL": "private"}, {"ObjectOwnership": "BucketOwnerEnforced"}):
        client().create_bucket(Bucket=unique("bucket"), **more)


def the_bucket_owner_is_enforced():
    rules = client().get_bucket_ownership_controls(Bucket=shared())["OwnershipControls"]["Rules"]
    assert rules == [{"ObjectOwnership": "BucketOwnerEnforced"}]


def _session(statements, **tags):
    """A client of a session that has a policy and tags."""
    answer = boto3.client("sts").assume_role(
        RoleArn="arn:aws:iam::123456789012:role/storage", RoleSessionName="judge",
        Policy=json.dumps({"Version": "2012-10-17", "Statement": statements}),
        Tags=[{"Key": key, "Value": value} for key, value in tags.items()])["Credentials"]
    return boto3.client(
        "s3", aws_access_key_id=answer["AccessKeyId"],
        aws_secret_access_key=answer["SecretAccessKey"], aws_session_token=answer["SessionToken"])


def a_session_is_limited_by_its_policy():
    name = bucket("u1/k", "u2/k", "u10/k")
    tag = "${aws:PrincipalTag/uid}"
    own = _session([
        {"Effect": "Allow", "Resource": f"arn:aws:s3:::{name}/{tag}/*",
         "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]},
        {"Effect": "Allow", "Resource": f"arn:aws:s3:::{name}", "Action": "s3:ListBucket",
         "Condition": {"StringLike": {"s3:prefix": f"{tag}/*"}}}], uid="u1")
    for prefix in ("u1/", "u1/x"):
        own.list_objects_v2(Bucket=name, Prefix=prefix)
    assert own.get_object(Bucket=name, Key="u1/k")["Body"].read() == b"u1/k"
    own.copy_object(Bucket=name, Key="u1/c", CopySource=f"{name}/u1/k")
    for call in (
        lambda: own.put_object(Bucket=name, Key="u2/k"),
        lambda: own.put_object(Bucket=name, Key="u1"),
        lambda: own.get_object(Bucket=name, Key="u10/k"),
        lambda: own.get_object(Bucket=name, Key="u1/../u2/k"),
        lambda: own.list_objects_v2(Bucket=name),
        lambda: own.list_objects_v2(Bucket=name, Prefix=""),
        lambda: own.list_objects_v2(Bucket=name, Prefix="u1"),
        lambda: own.list_objects(Bucket=name, Prefix="u2/"),
        own.list_buckets,
        lambda: own.create_bucket(Bucket="other-bucket"),
        lambda: own.delete_object(Bucket=name, Key="u2/k"), lambda: own.delete_bucket(Bucket=name),
        lambda: own.create_multipart_upload(Bucket=name, Key="u2/k"),
        lambda: own.list_multipart_uploads(Bucket=name, Prefix="u1/"),
        lambda: own.copy_object(Bucket=name, Key="u1/c", CopySource=f"{name}/u2/k"),
        # Without the permission to list, a missing key is not revealed.
        lambda: own.get_object(Bucket=name, Key="u1/none"),
    ):
        with refused("AccessDenied", 403):
            call()
    for call in (
        lambda: own.put_object(Bucket="gone-bucket", Key="u1/k"),
        lambda: own.list_objects(Bucket="gone-bucket"),
        lambda: own.get_bucket_cors(Bucket="gone-bucket"),
    ):
        with refused("NoSuchBucket", 404):
            call()
    answer = own.delete_objects(
        Bucket=name, Delete={"Objects": [{"Key": "u1/k"}, {"Key": "u2/k"}]})
    assert keys(answer, "Deleted") == ["u1/k"] and keys(answer, "Errors") == ["u2/k"]
    assert answer["Errors"][0]["Code"] == "AccessDenied" and read(name, "u2/k") == b"u2/k"


def a_body_may_come_in_signed_chunks_or_unsigned():
    key = unique()
    client("when_supported").put_object(Bucket=shared(), Key=key, Body=b"chunked")
    assert get(shared(), key)["Body"].read() == b"chunked"
    assert "ContentEncoding" not in head(shared(), key)
