internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON
internal import XML

/// A request to an AWS service that the emulator does not have.
struct MissingService {
    /// The name in AWS's documentation.
    let name: String
    /// The operation, or the path if the protocol has no operations.
    let operation: String

    private static let code = "NotImplemented"
    private static let requestID = "00000000-0000-4000-8000-000000000000"

    var message: String {
        name == Self.lambda
            ? "The emulator does not have this operation of Lambda."
            : "The emulator has no \(name)."
    }

    /// nil for a service that the emulator has.
    ///
    /// - Parameter signed: the name in the signature.
    init?(_ request: ServerRequest, _ target: String?, _ signed: String?) {
        let byTarget = Self.targets.first { target?.hasPrefix($0.prefix) == true }?.name
        let byHost = target == nil ? Self.name(ofHost: request) : nil
        guard let name = byTarget ?? signed.flatMap(Self.name) ?? byHost else { return nil }
        self.name = name
        operation = target ?? Self.action(request) ?? String(request.path)
    }

    /// `CreateQueue` of `Action=CreateQueue&Version=2012-11-05`. No client percent-encodes it.
    private static func action(_ request: ServerRequest) -> String? {
        let form = request.query.map { Array($0.utf8) } ?? request.body
        let field = Array("Action=".utf8)
        return form.split(separator: UInt8(ascii: "&")).first { $0.starts(with: field) }
            .map { String(decoding: $0.dropFirst(field.count), as: UTF8.self) }
    }

    /// The error in the format of the service's protocol.
    func response(to request: ServerRequest) -> ServerResponse {
        let type = request.header("content-type") ?? ""
        if request.header("x-amz-target") != nil {
            return response(
                type.isEmpty ? "application/x-amz-json-1.1" : type,
                (["__type": .string(Self.code), "message": .string(message)] as JSON).serialized)
        }
        if let version = request.header("smithy-protocol") {
            return response(
                "application/cbor", cbor, HTTPHeader("smithy-protocol", version))
        }
        if type.hasPrefix("application/x-www-form-urlencoded")
            || request.query?.utf8.firstOccurrence(of: "Action=") != nil
            || Self.withXML.contains(where: name.isSame)
        {
            return response("text/xml", name == "EC2" ? ofEC2 : xml)
        }
        return response(
            "application/json", (["message": .string(message)] as JSON).serialized,
            HTTPHeader("x-amzn-ErrorType", Self.code))
    }

    private func response(
        _ type: String, _ body: [UInt8], _ more: HTTPHeader...
    ) -> ServerResponse {
        ServerResponse(
            status: 501,
            headers: [
                HTTPHeader("Content-Type", type), HTTPHeader("x-amzn-RequestId", Self.requestID),
            ] + more, body: body)
    }

    private var xml: [UInt8] {
        var xml = XMLWriter(declaration: false)
        xml.element("ErrorResponse") { xml in
            xml.element("Error") { xml in
                xml.element("Type", "Receiver")
                xml.element("Code", Self.code)
                xml.element("Message", message)
            }
            xml.element("RequestId", Self.requestID)
        }
        return xml.bytes
    }

    /// EC2 has its own format.
    private var ofEC2: [UInt8] {
        var xml = XMLWriter()
        xml.element("Response") { xml in
            xml.element("Errors") { xml in
                xml.element("Error") { xml in
                    xml.element("Code", Self.code)
                    xml.element("Message", message)
                }
            }
            xml.element("RequestID", Self.requestID)
        }
        return xml.bytes
    }

    /// Encodes a map of two texts (RFC 8949 section 3.1): major type 5, and major type 3 with a
    /// one-byte length.
    private var cbor: [UInt8] {
        [0xA2]
            + ["__type", Self.code, "message", message].flatMap { text in
                [0x78, UInt8(clamping: text.utf8.count)] + text.utf8.prefix(255)
            }
    }
}

// Names
extension MissingService {
    private static let lambda = "Lambda"
    /// The services of the AWS endpoint, by their names in signatures.
    private static let served = ["dynamodb", "s3", "sts", "ses", "secretsmanager", "ssm"]
    /// Services of the protocol REST XML, other than S3.
    private static let withXML = ["CloudFront", "Route 53"]

    /// Targets that identify services in unsigned requests, and in requests with a signature that
    /// does not name the service.
    private static let targets = [
        (prefix: "DynamoDBStreams", name: "DynamoDB Streams"), (prefix: "AmazonSQS", name: "SQS"),
        (prefix: "AWSEvents", name: "EventBridge"), (prefix: "Kinesis_", name: "Kinesis"),
        (prefix: "Logs_", name: "CloudWatch Logs"), (prefix: "TrentService", name: "KMS"),
        (prefix: "AWSCognitoIdentityProviderService", name: "Cognito"),
        (prefix: "AWSStepFunctions", name: "Step Functions"),
        (prefix: "GraniteServiceVersion", name: "CloudWatch"),
    ]

    private static let names: [String: String] = [
        "acm": "Certificate Manager", "apigateway": "API for changing API Gateway",
        "appconfig": "AppConfig", "appconfigdata": "AppConfig", "appsync": "AppSync",
        "athena": "Athena", "bedrock": "Bedrock", "cloudformation": "CloudFormation",
        "cloudfront": "CloudFront", "cloudtrail": "CloudTrail",
        "cognito-identity": "Cognito identity pools", "cognito-idp": "Cognito",
        "comprehend": "Comprehend", "ec2": "EC2", "ecr": "ECR", "ecs": "ECS",
        "elasticache": "ElastiCache", "elasticloadbalancing": "Elastic Load Balancing",
        "es": "OpenSearch", "events": "EventBridge", "execute-api": "API Gateway at this port",
        "firehose": "Firehose", "geo": "Location", "glue": "Glue", "iam": "IAM",
        "iotdata": "IoT", "kinesis": "Kinesis", "kms": "KMS", "lambda": lambda,
        "logs": "CloudWatch Logs", "mobiletargeting": "Pinpoint", "monitoring": "CloudWatch",
        "organizations": "Organizations", "pipes": "EventBridge Pipes", "polly": "Polly",
        "rds": "RDS", "rds-data": "RDS Data API", "redshift-data": "Redshift Data API",
        "rekognition": "Rekognition", "route53": "Route 53", "sagemaker": "SageMaker",
        "scheduler": "EventBridge Scheduler", "sns": "SNS", "sqs": "SQS",
        "states": "Step Functions", "textract": "Textract", "transcribe": "Transcribe",
        "translate": "Translate", "wafv2": "WAF", "xray": "X-Ray",
    ]

    /// nil for a service that the emulator has. A name that is not in the table is returned
    /// unchanged.
    private static func name(_ signed: String) -> String? {
        guard !served.contains(where: signed.isSame) else { return nil }
        return names[signed] ?? String(signed.prefix(64))
    }

    /// The service's name in a host such as `sqs.us-east-1.amazonaws.com` that resolves to this
    /// machine.
    private static func name(ofHost request: ServerRequest) -> String? {
        guard let host = request.header("host")?.prefix(while: { $0 != ":" }),
            host.hasSuffix(".amazonaws.com"), let label = host.split(separator: ".").first,
            let name = names[String(label)]
        else { return nil }
        return name
    }
}
