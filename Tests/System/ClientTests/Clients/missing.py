"""boto3 calls services that the emulator does not have: each client shows which one is missing."""

from botocore.exceptions import ClientError
from judge import AWS, case, client, control, fetch, run

CALLS = [
    ("sqs", "SQS", "send_message", {"QueueUrl": "http://127.0.0.1/1/q", "MessageBody": "x"}),
    ("sns", "SNS", "publish", {"TopicArn": "arn:aws:sns:us-east-1:1:t", "Message": "x"}),
    ("iam", "IAM", "list_users", {}),
    ("cloudformation", "CloudFormation", "list_stacks", {}),
    ("events", "EventBridge", "put_events", {"Entries": [{"Source": "x"}]}),
    ("kinesis", "Kinesis", "list_streams", {}),
    ("logs", "CloudWatch Logs", "describe_log_groups", {}),
    ("kms", "KMS", "list_keys", {}),
    ("cognito-idp", "Cognito", "list_user_pools", {"MaxResults": 1}),
    ("stepfunctions", "Step Functions", "list_state_machines", {}),
    ("cloudwatch", "CloudWatch", "list_metrics", {}),
    ("dynamodbstreams", "DynamoDB Streams", "list_streams", {}),
    ("bedrock-runtime", "Bedrock", "invoke_model", {"modelId": "m", "body": b"{}"}),
    ("apigatewayv2", "API for changing API Gateway", "get_apis", {}),
    ("apigateway", "API for changing API Gateway", "get_rest_apis", {}),
    ("appconfig", "AppConfig", "list_applications", {}),
    ("polly", "Polly", "describe_voices", {}),
    ("scheduler", "EventBridge Scheduler", "list_schedules", {}),
    ("rds-data", "RDS Data API", "execute_statement",
     {"resourceArn": "arn:aws:rds:us-east-1:1:cluster:c", "secretArn": "arn:aws:secretsmanager:x",
      "sql": "select 1"}),
    ("ec2", "EC2", "describe_instances", {}),
    ("route53", "Route 53", "list_hosted_zones", {}),
    ("cloudfront", "CloudFront", "list_distributions", {}),
    ("codecommit", "codecommit", "list_repositories", {}),
]


def refusal(service, operation, arguments):
    try:
        getattr(client(service), operation)(**arguments)
    except ClientError as error:
        return error.response
    raise AssertionError(f"{service} answered")


@case
def each_client_names_the_service():
    for service, name, operation, arguments in CALLS:
        response = refusal(service, operation, arguments)
        expected = {"Code": "NotImplemented", "Message": f"The emulator has no {name}."}
        found = {key: response["Error"].get(key) for key in expected}
        assert found == expected, (service, response)
        assert response["ResponseMetadata"]["HTTPStatusCode"] == 501, response


@case
def each_call_is_in_the_log():
    lines = [line["text"] for line in control("GET", "logs")["lines"]]
    for _, name, _, _ in CALLS:
        assert any(line.startswith(f"The emulator has no {name}. (") for line in lines), lines
    assert "The emulator has no SQS. (POST AmazonSQS.SendMessage)" in lines, lines
    assert "The emulator has no SNS. (POST Publish)" in lines, lines


@case
def operations_of_lambda_that_are_missing_are_named_so():
    response = refusal("lambda", "list_layers", {})
    assert response["Error"]["Message"] == "The emulator does not have this operation of Lambda."


OPERATIONS = [
    ("s3", "put_bucket_policy", {"Bucket": "judged", "Policy": "{}"}, "PutBucketPolicy"),
    ("s3", "get_object_tagging", {"Bucket": "judged", "Key": "k"}, "GetObjectTagging"),
    ("s3", "put_object_tagging", {"Bucket": "judged", "Key": "k", "Tagging": {"TagSet": []}},
     "PutObjectTagging"),
    ("s3", "put_bucket_versioning",
     {"Bucket": "judged", "VersioningConfiguration": {"Status": "Enabled"}},
     "PutBucketVersioning"),
    ("s3", "put_bucket_ownership_controls",
     {"Bucket": "judged", "OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}},
     "PutBucketOwnershipControls"),
]


@case
def operations_that_are_missing_are_named():
    for service, operation, arguments, name in OPERATIONS:
        error = refusal(service, operation, arguments)["Error"]
        assert (error["Code"], error["Message"]) == (
            "NotImplemented", f"The emulator does not implement {name}"), error
    status, _, body = fetch(
        "POST", AWS + "/judged", b"", {"Content-Type": "multipart/form-data; boundary=edge"})
    assert status == 501 and b"<Code>NotImplemented</Code>" in body, (status, body)
    response = refusal("dynamodb", "create_table", {
        "TableName": "streaming", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": True}})
    assert response["Error"]["Message"].endswith(
        "This emulator does not support StreamSpecification: it has no streams"), response


@case
def services_that_are_there_answer():
    assert "TableNames" in client("dynamodb").list_tables()
    assert client("sts").get_caller_identity()["Account"] == "123456789012"
    assert "Buckets" in client("s3").list_buckets()
    assert "SecretList" in client("secretsmanager").list_secrets()
    assert "SendQuota" in client("sesv2").get_account()
    assert client("lambda").list_functions()["Functions"] == []


run()
