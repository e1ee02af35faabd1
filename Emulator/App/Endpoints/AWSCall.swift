internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP

/// A request to the AWS endpoint, parsed once: for its service, for faults and for traces.
enum AWSCall: Sendable {
    case dynamodb(DynamoDBRequest)
    case secrets(SecretsCall)
    case sts(STSCall)
    case s3(S3Call)
    case ses(SESCall)
    /// The Lambda API. Faults match its invocations instead.
    case lambda
    /// The emulator's own controls.
    case controls
    case missing(MissingService)

    /// The service is found by the `X-Amz-Target` header, the path, and the name in the signature.
    init(_ request: ServerRequest) {
        let target = request.header("x-amz-target")
        if let target {
            if DynamoDBRequest.serves(target: target) {
                self = .dynamodb(DynamoDBRequest(request))
                return
            }
            if let call = SecretsCall(target: target, body: request.body) {
                self = .secrets(call)
                return
            }
        } else if request.path.utf8.starts(with: ControlAPI.prefix.utf8) {
            self = .controls
            return
        } else if InvokeAPI.serves(request) {
            self = .lambda
            return
        }
        let signed = SigningName.of(request)
        if let missing = MissingService(request, target, signed) {
            self = .missing(missing)
        } else if target != nil || DynamoDBRequest.isWithoutOperation(request) {
            self = .dynamodb(DynamoDBRequest(request))
        } else {
            let call = ServiceCall(request)
            if SESCall.serves(path: call.path) || signed == "ses" {
                self = .ses(SESCall(call))
            } else if Self.isForSTS(call, signed) {
                self = .sts(STSCall(call))
            } else {
                self = .s3(S3Call(call))
            }
        }
    }

    /// STS shares the path `/` with S3's list of buckets.
    private static func isForSTS(_ call: ServiceCall, _ signed: String?) -> Bool {
        guard call.header("authorization") == nil else { return signed == "sts" }
        guard call.path == "/" || call.path.isEmpty else { return false }
        if call.method == "POST" {
            return call.header("content-type")?.hasPrefix("application/x-www-form-urlencoded")
                ?? false
        }
        return call.query.contains(utf8: "Action=")
    }

    /// The fields that faults and gates match; nil for requests that none can match.
    func subject(of request: ServerRequest) -> FaultSubject? {
        let target = request.target
        let body = request.body
        return switch self {
        case .dynamodb(let call): FaultSubject(.dynamodb, operation: call.action, body: body)
        case .secrets(let call): FaultSubject(.secrets, operation: call.action, body: body)
        case .sts(let call):
            FaultSubject(.sts, operation: call.action, target: target, body: body)
        case .ses(let call):
            FaultSubject(
                .ses, operation: call.action, target: target, body: body, isQuery: call.isQuery)
        case .s3(let call):
            FaultSubject(
                .s3, operation: call.name ?? "", name: call.bucket ?? "", path: call.key ?? "",
                target: target)
        case .lambda, .controls, .missing: nil
        }
    }
}

extension FaultSubject {
    /// The operation and the resource in a trace.
    func named(in request: ServerRequest) -> (operation: String, resource: String) {
        switch service {
        case .dynamodb: (operation, TableNames.text(request.body, of: operation))
        case .s3:
            (
                operation.isEmpty ? request.method : operation,
                path.isEmpty ? name : "\(name)/\(path)"
            )
        case .route: (request.method, path)
        case .receiver: (operation, path)
        case .function, .sts, .ses, .secrets, .provider: (operation, name)
        }
    }
}
