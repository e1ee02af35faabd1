internal import Bytes
internal import EmulatorBase

/// The name of the service for which a request was signed, unverified.
enum SigningName {
    /// nil without a version 4 signature.
    static func of(_ request: ServerRequest) -> String? {
        if let authorization = request.header("authorization") {
            return of(authorization: authorization)
        }
        guard let query = request.query,
            let start = query.utf8.firstOccurrence(of: "X-Amz-Credential=")?.upperBound
        else { return nil }
        return PercentEncoding.decode(query[start...].prefix { $0 != "&" }, plusIsSpace: false)
            .flatMap { service(inScope: Array($0.utf8)[...]) }
    }

    static func of(authorization: String) -> String? {
        guard let start = authorization.utf8.firstOccurrence(of: "Credential=")?.upperBound else {
            return nil
        }
        return service(inScope: Array(authorization.utf8[start...].prefix { $0 != 0x2C })[...])
    }

    /// `AKIA…/20260101/us-east-1/sqs/aws4_request`
    private static func service(inScope scope: ArraySlice<UInt8>) -> String? {
        let parts = scope.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[4].elementsEqual("aws4_request".utf8), !parts[3].isEmpty,
            parts[3].allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") })
        else { return nil }
        return String(decoding: parts[3], as: UTF8.self)
    }
}
