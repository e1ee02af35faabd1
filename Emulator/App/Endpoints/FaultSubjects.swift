internal import Bytes
internal import EmulatorBase
internal import EmulatorBreaches
internal import EmulatorDynamoDB
internal import EmulatorFaults
internal import EmulatorFunctions
internal import EmulatorIAM
internal import EmulatorMail
internal import EmulatorOpenID
internal import EmulatorReceiver
internal import EmulatorServer
internal import EmulatorTraces
internal import HTTP

// Converts requests to the subjects that faults and gates match.
extension AppEndpoint {
    /// nil for requests that no fault can match, such as control requests.
    func faultSubject(_ request: ServerRequest) -> FaultSubject? {
        let path = String(request.path)
        if path.utf8.starts(with: ControlAPI.prefix.utf8)
            || path.utf8.starts(with: Self.breachesPrefix.utf8)
        {
            return nil
        }
        if path.utf8.starts(with: Self.identityPrefix.utf8) {
            guard let (provider, operation) = services.identity.endpoint(path: path) else {
                return nil
            }
            return FaultSubject(
                .provider, operation: operation, name: provider, target: request.target,
                body: request.body)
        }
        if Receiver.serves(path: request.path) {
            return FaultSubject(
                .receiver, path: path, target: request.target, body: request.body)
        }
        return FaultSubject(
            .route, method: request.method, path: path, target: request.target, body: request.body)
    }
}

extension AWSEndpoint {
    /// nil for control requests, and for the Lambda API: its invocations are matched instead.
    func service(of request: ServerRequest, _ target: String?) -> FaultService? {
        if let target {
            return target.utf8.starts(with: "DynamoDB".utf8) ? .dynamodb : .secrets
        }
        let path = request.path
        if path.utf8.starts(with: ControlAPI.prefix.utf8) || InvokeAPI.serves(request) {
            return nil
        }
        if DynamoDBRequest.isWithoutOperation(request) { return .dynamodb }
        let call = ServiceCall(request)
        if SESService.serves(path: call.path) || SigningName.of(request) == "ses" { return .ses }
        return isForSTS(call) ? .sts : .s3
    }

    func faultSubject(
        of request: ServerRequest, _ service: FaultService, _ target: String?
    ) -> FaultSubject {
        switch service {
        case .ses where !SESService.serves(path: request.path):
            var subject = FaultSubject(
                .ses, operation: Self.action(request), target: request.target, body: request.body)
            subject.isQuery = true
            return subject
        case .ses:
            let parts = request.path.split(separator: "/").dropFirst(2).map(String.init)
            return FaultSubject(
                .ses, operation: SESOperationName.of(method: request.method, path: parts) ?? "",
                target: request.target, body: request.body)
        case .sts:
            return FaultSubject(
                .sts, operation: Self.action(request), target: request.target, body: request.body)
        case .s3: return ObjectRequest(request).subject
        case .dynamodb, .secrets, .route, .function, .provider, .receiver:
            return FaultSubject(
                service, operation: Self.operation(target ?? ""), body: request.body)
        }
    }

    /// The subject in a trace.
    func recordedSubject(
        of request: ServerRequest, _ service: FaultService, _ target: String?
    ) -> RecordedCall.Subject {
        switch service {
        case .dynamodb:
            let operation = Self.operation(target ?? "")
            return .named(
                operation: operation, resource: TableNames.text(request.body, of: operation))
        case .s3:
            let objectRequest = ObjectRequest(request)
            return .derived {
                let subject = objectRequest.subject
                return (
                    operation: subject.operation.isEmpty ? objectRequest.method : subject.operation,
                    resource: subject.path.isEmpty
                        ? subject.name : "\(subject.name)/\(subject.path)"
                )
            }
        default:
            let subject = faultSubject(of: request, service, target)
            return .named(operation: subject.operation, resource: subject.name)
        }
    }

    /// `AssumeRole` of `Action=AssumeRole&Version=2011-06-15`. No client percent-encodes it.
    static func action(_ request: ServerRequest) -> String {
        var rest = (request.query.map { Array($0.utf8) } ?? request.body)[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            let pair = rest[..<end]
            if pair.starts(with: "Action=".utf8) {
                return String(decoding: pair.dropFirst(7), as: UTF8.self)
            }
            rest = rest[end...].dropFirst()
        }
        return ""
    }

    /// `GetItem` of `DynamoDB_20120810.GetItem`.
    private static func operation(_ target: String) -> String {
        let dot = target.utf8.lastIndex(of: UInt8(ascii: "."))
        return dot.map { String(target[target.utf8.index(after: $0)...]) } ?? target
    }
}

/// The parts of an S3 request that determine its operation.
private struct ObjectRequest: Sendable {
    let method: String
    private let target: String
    private let host: String
    private let isCopy: Bool

    init(_ request: ServerRequest) {
        method = request.method
        target = request.target
        host = request.header("host") ?? ""
        isCopy = request.header("x-amz-copy-source") != nil
    }

    /// The path is `/bucket/key`, or `/key` if the host begins with the bucket.
    var subject: FaultSubject {
        let request = ServerRequest(method: method, target: target)
        let inHost = host.firstPart(before: ".s3.")
        let parts = request.path.split(separator: "/", maxSplits: inHost == nil ? 1 : 0)
        let bucket = inHost ?? parts.first.map(String.init) ?? ""
        let rest = inHost == nil ? parts.dropFirst() : parts[...]
        let key = rest.first.flatMap { PercentEncoding.decode($0, plusIsSpace: false) } ?? ""
        let fields = (request.query ?? "").split(separator: "&").compactMap { pair in
            pair.split(separator: "=", maxSplits: 1).first.map(String.init)
        }
        let operation = S3OperationName.of(
            method: method, hasBucket: !bucket.isEmpty, hasKey: !key.isEmpty,
            fields: fields.filter { $0 != "x-id" && !$0.lowercased().hasPrefix("x-amz-") },
            isCopy: isCopy)
        return FaultSubject(
            .s3, operation: operation ?? "", name: bucket, path: key, target: target)
    }
}

extension String {
    fileprivate func firstPart(before mark: String) -> String? {
        guard let range = utf8.firstOccurrence(of: mark), range.lowerBound != startIndex else {
            return nil
        }
        return String(self[..<range.lowerBound])
    }
}
