internal import Time

extension S3Failure {
    /// `lifetime` is the value of `X-Amz-Expires`.
    init(
        _ failure: AuthenticationFailure, isPresigned: Bool, lifetime: String? = nil,
        at now: Instant
    ) {
        let malformedCode =
            isPresigned ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed"
        switch failure {
        case .missing: self = .accessDenied
        case .malformed:
            self.init(
                400, malformedCode,
                isPresigned
                    ? "Query-string authentication version 4 requires the X-Amz-Algorithm, "
                        + "X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, "
                        + "and X-Amz-Expires parameters."
                    : "The authorization header you provided is invalid.")
        case .unknownAlgorithm:
            self.init(
                400, isPresigned ? malformedCode : "InvalidRequest",
                isPresigned
                    ? "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and "
                        + "AWS4-ECDSA-P256-SHA256\""
                    : "The authorization mechanism you have provided is not supported. Please use "
                        + "AWS4-HMAC-SHA256.")
        case .expiryOutOfRange:
            self.init(
                400, malformedCode,
                lifetime?.utf8.first == UInt8(ascii: "-")
                    ? "X-Amz-Expires must be non-negative"
                    : "X-Amz-Expires must be less than a week (in seconds); that is, the given "
                        + "X-Amz-Expires must be less than 604800 seconds")
        case .wrongService(let service):
            self.init(
                400, malformedCode,
                "Error parsing the X-Amz-Credential parameter; incorrect service \"\(service)\". "
                    + "This endpoint belongs to \"s3\".")
        case .unknownAccessKey(let id):
            self.init(
                403, "InvalidAccessKeyId",
                "The AWS Access Key Id you provided does not exist in our records.",
                ("AWSAccessKeyId", id))
        case .invalidToken:
            self.init(
                400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
        case .expiredToken: self.init(400, "ExpiredToken", "The provided token has expired.")
        case .skewed(let signedAt):
            self = .skewed(signedAt, at: now)
        case .presignedURLExpired(let signedAt, let lifetime):
            self = .expired(signedAt, lifetime, at: now)
        case .wrongSignature(let id, let signature):
            self.init(
                403, "SignatureDoesNotMatch",
                "The request signature we calculated does not match the signature you provided. "
                    + "Check your key and signing method.", ("AWSAccessKeyId", id),
                ("SignatureProvided", signature))
        }
    }

    private static func skewed(_ signedAt: Instant, at now: Instant) -> S3Failure {
        S3Failure(
            403, "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
            ("RequestTime", signedAt.compactISO8601), ("ServerTime", now.iso8601Seconds),
            ("MaxAllowedSkewMilliseconds", String(S3Service.skewMax.milliseconds)))
    }

    private static func expired(
        _ signedAt: Instant, _ lifetime: Span, at now: Instant
    ) -> S3Failure {
        S3Failure(
            403, "AccessDenied", "Request has expired",
            ("X-Amz-Expires", String(lifetime.seconds)),
            ("Expires", (signedAt + lifetime).iso8601Seconds),
            ("ServerTime", now.iso8601Seconds))
    }
}
