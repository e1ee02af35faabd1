internal import Bytes
internal import EmulatorBreaches
internal import EmulatorFaults
internal import EmulatorFunctions
internal import EmulatorHTTP
internal import EmulatorIAM
internal import EmulatorMail
internal import EmulatorOpenID
internal import HTTP

// Requests, as faults and gates match them.
extension AppEndpoint {
    /// nil for what no fault concerns, such as the controls.
    func faultSubject(_ request: ServerRequest) -> FaultSubject? {
        let path = String(request.path)
        if path.utf8.starts(with: ControlAPI.prefix.utf8)
            || path.utf8.starts(with: (BreachedPasswordRanges.prefix + "/").utf8)
        {
            return nil
        }
        if path.utf8.starts(with: (IdentityService.prefix + "/").utf8) {
            guard let (provider, operation) = services.identity.endpoint(path: path) else {
                return nil
            }
            return FaultSubject(
                .provider, operation: operation, name: provider, target: request.target,
                body: request.body)
        }
        return FaultSubject(
            .route, method: request.method, path: path, target: request.target, body: request.body)
    }
}

extension AWSEndpoint {
    /// nil for the controls, and for the Lambda API: its invocations are matched as such.
    func faultSubject(_ request: ServerRequest) -> FaultSubject? {
        if let target = request.header("x-amz-target") {
            let dot = target.utf8.lastIndex(of: UInt8(ascii: "."))
            let name = dot.map { String(target[target.utf8.index(after: $0)...]) } ?? target
            return FaultSubject(
                target.utf8.starts(with: "DynamoDB".utf8) ? .dynamodb : .secrets, operation: name,
                body: request.body)
        }
        let path = String(request.path)
        if path.utf8.starts(with: ControlAPI.prefix.utf8) || InvokeAPI.serves(request) {
            return nil
        }
        let call = ServiceCall(request)
        if SESService.serves(path: path) {
            let parts = path.split(separator: "/").dropFirst(2).map(String.init)
            return FaultSubject(
                .ses, operation: SESOperationName.of(method: request.method, path: parts) ?? "",
                target: request.target, body: request.body)
        }
        guard isForSTS(call) else { return Self.object(request, path) }
        let form = request.query.map(String.init) ?? String(decoding: request.body, as: UTF8.self)
        let pairs = PercentEncoding.parseForm(form, pairsMax: 64) ?? []
        return FaultSubject(
            .sts, operation: pairs.first { $0.0 == "Action" }?.1 ?? "", target: request.target,
            body: request.body)
    }

    /// `/bucket/key`, or `/key` at a host that begins with the bucket.
    private static func object(_ request: ServerRequest, _ path: String) -> FaultSubject {
        let host = request.header("host") ?? ""
        let inHost = host.firstPart(before: ".s3.")
        let parts = path.split(separator: "/", maxSplits: inHost == nil ? 1 : 0)
        let bucket = inHost ?? parts.first.map(String.init) ?? ""
        let rest = inHost == nil ? parts.dropFirst() : parts[...]
        let key = rest.first.flatMap { PercentEncoding.decode($0, plusIsSpace: false) } ?? ""
        let fields = (request.query ?? "").split(separator: "&").compactMap { pair in
            pair.split(separator: "=", maxSplits: 1).first.map(String.init)
        }
        let operation = S3OperationName.of(
            method: request.method, hasBucket: !bucket.isEmpty, hasKey: !key.isEmpty,
            fields: fields.filter { $0 != "x-id" && !$0.lowercased().hasPrefix("x-amz-") },
            isCopy: request.header("x-amz-copy-source") != nil)
        return FaultSubject(
            .s3, operation: operation ?? "", name: bucket, path: key, target: request.target)
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
