internal import Bytes
internal import HTTP
internal import JSON

/// The JSON protocol that DynamoDB, Secrets Manager and Systems Manager share.
struct JSONService: Sendable {
    let service: AWSService
    let credentials: CredentialsProvider
    /// `DynamoDB_20120810`
    let targetPrefix: String
    /// `1.0` or `1.1`
    let version: String
    let limits: HTTPLimits

    func call(_ call: AWSCall) throws(AWSFailure) -> JSON {
        try service.perform(
            request(call), credentials: credentials, repeating: call.repetition, read: read)
    }

    /// Performs calls concurrently; the results are in the order of the calls.
    func callAll(_ calls: [AWSCall]) -> [Result<JSON, AWSFailure>] {
        service.perform(
            calls.map { (request($0), $0.repetition) }, credentials: credentials, read: read)
    }

    private func request(_ call: AWSCall) -> HTTPRequest {
        HTTPRequest(
            .post, service.settings.endpoint(of: service.name) + "/",
            headers: [
                HTTPHeader("Content-Type", "application/x-amz-json-\(version)"),
                HTTPHeader("X-Amz-Target", "\(targetPrefix).\(call.operation)"),
            ], body: call.body.serialized, limits: limits)
    }

    private func read(_ response: HTTPResponse) -> AWSService.Reading<JSON> {
        // Check the checksum first: a damaged body must not be interpreted.
        if let checksum = response.header("x-amz-crc32"),
            UInt32(checksum) != CRC32.checksum(response.body)
        {
            return .failed(.malformedResponse, .doubtful)
        }
        let body = try? JSON.parse(
            response.body,
            limits: JSONLimits(bytesMax: limits.responseBytesMax, depthMax: 64))
        if response.status == 200 {
            guard let body, case .object = body else {
                return .failed(.malformedResponse, .doubtful)
            }
            return .done(body)
        }
        let object = body?.objectValue
        let type =
            object?["__type"]?.stringValue ?? response.header("x-amzn-errortype") ?? ""
        let message = object?["message"] ?? object?["Message"]
        let refusal = AWSRefusal(
            status: response.status, code: Self.code(of: type),
            message: message?.stringValue ?? "", body: object)
        return .failed(.refused(refusal), refusal.retry)
    }

    /// `com.amazonaws.dynamodb.v20120810#ThrottlingException` or `ThrottlingException:http://…`.
    private static func code(of type: String) -> String {
        let local = type.utf8.split(separator: 0x23, omittingEmptySubsequences: false).last
        let end = local?.split(separator: 0x3A, omittingEmptySubsequences: false).first
        return end.map { String(Substring($0.prefix(128))) } ?? ""
    }
}
