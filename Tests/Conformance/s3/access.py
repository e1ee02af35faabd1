"""Signatures, presigned URLs, ACLs."""

import time

from s3._s3 import (
    bucket, client, get, head, presigned, put, raw, read, refused, shared, unique, visit,
)

FULL = "bucket-owner-full-control"
EVERYONE = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'


def _object():
    key = unique()
    put(shared(), key, b"content")
    return key


def a_request_without_a_signature_is_refused():
    raw("GET", f"/{shared()}/{_object()}", signed=False).refuses("AccessDenied", 403)


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
    visit(url.replace("?", "x?", 1)).refuses("SignatureDoesNotMatch", 403)


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
    assert answer.document["Expires"] and answer.document["ServerTime"]


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
        lambda: client().put_object_acl(Bucket=shared(), Key=key, ACL="public-read"),
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
    with refused("InvalidBucketAclWithObjectOwnership", 400):
        client().create_bucket(Bucket=unique("bucket"), ACL="public-read")
    client().create_bucket(Bucket=unique("bucket"), ACL="private")


def the_bucket_owner_is_enforced():
    rules = client().get_bucket_ownership_controls(Bucket=shared())["OwnershipControls"]["Rules"]
    assert rules == [{"ObjectOwnership": "BucketOwnerEnforced"}]


def a_body_may_come_in_signed_chunks_or_unsigned():
    key = unique()
    client("when_supported").put_object(Bucket=shared(), Key=key, Body=b"chunked")
    assert get(shared(), key)["Body"].read() == b"chunked"
    assert "ContentEncoding" not in head(shared(), key)
