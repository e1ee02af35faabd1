internal import Bytes
internal import HTTP
internal import XML

// CORS, only for requests with an `Origin`.
extension S3Service {
    /// The response to a preflight, which is never authenticated.
    func preflight(_ request: S3Request) throws(S3Failure) -> S3Response {
        guard let origin = request.header("origin") else {
            throw Self.insufficient("Insufficient information. Origin request header needed.")
        }
        let wanted = request.header("access-control-request-method")
        guard let rules = try corsRules(of: request) else {
            let isBucket = try request.bucket.map { bucket throws(S3Failure) in
                try exists(bucket)
            }
            throw Self.forbidden(
                isBucket == true ? "CORS is not enabled for this bucket." : "Bucket not found",
                method: wanted, "BUCKET")
        }
        guard let wanted else {
            throw Self.insufficient("Invalid Access-Control-Request-Method: null")
        }
        guard let headers = Self.headers(rules, request, origin: origin, method: wanted) else {
            throw Self.forbidden(
                "This CORS request is not allowed. This is usually because the evalution of "
                    + "Origin, request method / Access-Control-Request-Method or "
                    + "Access-Control-Request-Headers are not whitelisted by the resource's CORS "
                    + "spec.", method: wanted, request.key == nil ? "BUCKET" : "OBJECT")
        }
        var answer = S3Response(headers: headers)
        answer.contentLength = 0
        return answer
    }

    private static func insufficient(_ message: String) -> S3Failure {
        S3Failure(400, "BadRequest", message)
    }

    private static func forbidden(
        _ reason: String, method: String?, _ resourceType: String
    ) -> S3Failure {
        S3Failure(
            403, "AccessForbidden", "CORSResponse: \(reason)", ("Method", method ?? "OPTIONS"),
            ("ResourceType", resourceType))
    }

    /// The CORS headers of a response or error to a request with an `Origin`.
    func crossOriginHeaders(_ call: S3Call, origin: String) -> [HTTPHeader] {
        guard let request = try? call.request.get(), let rules = try? corsRules(of: request)
        else { return [] }
        // `Access-Control-Request-Method` takes precedence, even if the request is not a preflight.
        let method = request.header("access-control-request-method") ?? call.http.method
        return Self.headers(rules, request, origin: origin, method: method) ?? []
    }

    /// The headers for the first rule that allows the request; nil if none does.
    private static func headers(
        _ rules: [BucketCORSRule], _ request: S3Request, origin: String, method: String
    ) -> [HTTPHeader]? {
        let requested = (request.header("access-control-request-headers") ?? "").split(
            separator: ","
        ).map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
        let matching = rules.first {
            $0.allows(origin: origin, method: method, requestedHeaders: requested)
        }
        guard let rule = matching else { return nil }
        let isOpen = rule.allowsEveryOrigin
        var headers = [
            HTTPHeader("access-control-allow-origin", isOpen ? "*" : origin),
            HTTPHeader("access-control-allow-methods", rule.methods.joined(separator: ", ")),
        ]
        func add(_ name: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            headers.append(HTTPHeader(name, values.joined(separator: ", ")))
        }
        add("access-control-allow-headers", requested)
        add("access-control-expose-headers", rule.exposedHeaders)
        add("access-control-max-age", rule.maxAgeSeconds.map { [String($0)] } ?? [])
        if !isOpen { headers.append(HTTPHeader("access-control-allow-credentials", "true")) }
        headers.append(
            HTTPHeader(
                "vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"))
        return headers
    }

    /// The rules; nil if the bucket has none or does not exist.
    private func corsRules(of request: S3Request) throws(S3Failure) -> [BucketCORSRule]? {
        guard let bucket = request.bucket else { return nil }
        let stored: [UInt8]?
        do throws(ObjectStoreFailure) {
            stored = try store.read { database throws(ObjectStoreFailure) in
                try database.cors(of: bucket)
            }
        } catch {
            throw .internalError
        }
        return try stored.map { bytes throws(S3Failure) in try CORSDocument.rules(bytes) }
    }
}

// The operations on a bucket's configuration.
extension S3Service {
    func bucketCORS(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        let stored = try checked { () throws(S3Failure) in try corsRules(of: exchange.request) }
        guard let rules = stored else {
            throw .refused(
                S3Failure(
                    404, "NoSuchCORSConfiguration", "The CORS configuration does not exist",
                    ("BucketName", exchange.bucket)))
        }
        return S3Response(document: CORSDocument.root) { CORSDocument.write(rules, to: &$0) }
    }

    func putBucketCORS(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let rules = try checked { () throws(S3Failure) in
            try CORSDocument.rules(try exchange.body.digestedPayload().bytes)
        }
        try requireBucket(exchange.bucket)
        try write { database throws(ObjectStoreFailure) in
            try database.setCORS(CORSDocument.stored(rules), of: exchange.bucket)
        }
        var answer = S3Response()
        answer.contentLength = 0
        return answer
    }

    func deleteBucketCORS(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        try requireBucket(exchange.bucket)
        try write { database throws(ObjectStoreFailure) in
            try database.setCORS(nil, of: exchange.bucket)
        }
        return S3Response(status: 204)
    }
}
