"""The AWS CLI."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from judge import case, client, run

folder = pathlib.Path(tempfile.mkdtemp())
aws_program = pathlib.Path(sys.executable).with_name("aws")


def aws(*words, status=0):
    """The output of the command, parsed if it is JSON."""
    done = subprocess.run(
        [sys.executable, aws_program, *words], cwd=folder, capture_output=True,
        text=True, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    assert done.returncode == status, f"aws {' '.join(words)}: {done.returncode}\n{said}"
    if status:
        return said
    return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout


@case
def it_knows_who_asks():
    assert aws("sts", "get-caller-identity")["Account"] == "123456789012"


@case
def it_invokes_a_function():
    told = aws(
        "lambda", "invoke", "--function-name", "direct", "--payload", '{"answer": {"a": 1}}',
        "out.json")
    assert told["StatusCode"] == 200 and told["ExecutedVersion"] == "$LATEST", told
    assert json.loads((folder / "out.json").read_text()) == {"a": 1}
    said = aws("lambda", "invoke", "--function-name", "nobody", "out.json", status=255)
    assert "ResourceNotFoundException" in said


@case
def it_writes_and_reads_items():
    aws(
        "dynamodb", "create-table", "--table-name", "cli", "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=pk,AttributeType=S",
        "--key-schema", "AttributeName=pk,KeyType=HASH")
    aws("dynamodb", "wait", "table-exists", "--table-name", "cli")
    aws(
        "dynamodb", "put-item", "--table-name", "cli",
        "--item", '{"pk": {"S": "a"}, "n": {"N": "1"}, "ü": {"BOOL": true}}')
    item = aws("dynamodb", "get-item", "--table-name", "cli", "--key", '{"pk": {"S": "a"}}')
    assert item["Item"] == {"pk": {"S": "a"}, "n": {"N": "1"}, "ü": {"BOOL": True}}
    found = aws("dynamodb", "scan", "--table-name", "cli", "--page-size", "1")
    assert found["Count"] == 1 and found["Items"] == [item["Item"]]
    said = aws(
        "dynamodb", "put-item", "--table-name", "cli", "--item", '{"pk": {"S": "a"}}',
        "--condition-expression", "attribute_not_exists(pk)", status=255)
    assert "ConditionalCheckFailedException" in said


@case
def it_makes_buckets_and_copies_files():
    client("s3").create_bucket(Bucket="cli")
    large = os.urandom(9 << 20)
    (folder / "large.bin").write_bytes(large)
    aws("s3", "cp", "--no-progress", "large.bin", "s3://cli/a folder/large.bin")
    assert "large.bin" in aws("s3", "ls", "s3://cli/a folder/")
    aws("s3", "cp", "--no-progress", "s3://cli/a folder/large.bin", "back.bin")
    assert (folder / "back.bin").read_bytes() == large
    head = aws("s3api", "head-object", "--bucket", "cli", "--key", "a folder/large.bin")
    assert head["ContentLength"] == len(large) and head["ETag"].endswith('-2"'), head
    aws("s3", "rm", "s3://cli/a folder/large.bin")
    assert "404" in aws(
        "s3api", "head-object", "--bucket", "cli", "--key", "a folder/large.bin", status=255)


@case
def it_keeps_folders_the_same():
    tree = folder / "tree"
    files = {"one.txt": "1", "sub/two.html": "<p>2</p>", "sub/deep/ü 3.txt": "3" * 1000}
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    aws("s3", "sync", "--no-progress", "tree", "s3://cli/tree")
    assert aws("s3", "sync", "--no-progress", "tree", "s3://cli/tree") == "", "nothing is new"
    (tree / "one.txt").unlink()
    (tree / "sub/two.html").write_text("<p>two</p>")
    aws("s3", "sync", "--no-progress", "--delete", "tree", "s3://cli/tree")
    aws("s3", "sync", "--no-progress", "s3://cli/tree", "copy")
    copied = {
        str(path.relative_to(folder / "copy")): path.read_text()
        for path in (folder / "copy").rglob("*") if path.is_file()
    }
    assert copied == {"sub/two.html": "<p>two</p>", "sub/deep/ü 3.txt": "3" * 1000}, copied
    found = client("s3").get_object(Bucket="cli", Key="tree/sub/two.html")
    assert found["ContentType"] == "text/html"


run()
