internal import EmulatorIAM
internal import Time

/// An error of STS. Codes and messages are part of its interface: clients and tests depend on them.
struct STSError: Error, Equatable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func validation(_ message: String) -> STSError {
        STSError(400, "ValidationError", message)
    }

    static func accessDenied(_ message: String) -> STSError {
        STSError(403, "AccessDenied", message)
    }

    static func notAuthorized(_ identity: CallerIdentity, _ action: String, _ role: String)
        -> STSError
    {
        .accessDenied(
            "User: \(identity.arn) is not authorized to perform: \(action) on resource: \(role)")
    }

    static func invalidToken(_ message: String) -> STSError {
        STSError(400, "InvalidIdentityToken", message)
    }

    static let unretrievableKey = invalidToken(
        "Couldn't retrieve verification key from your identity provider, please reference "
            + "AssumeRoleWithWebIdentity documentation for requirements")

    static let expiredToken = STSError(
        403, "ExpiredToken", "The security token included in the request is expired")

    static func packedPolicyTooLarge(percent: Int) -> STSError {
        STSError(
            400, "PackedPolicyTooLarge",
            "Packed policy consumes \(percent)% of allotted space, please use smaller policy.")
    }

    static func malformedPolicy(_ failure: PolicyFailure) -> STSError {
        STSError(400, "MalformedPolicyDocument", failure.message)
    }

    init(_ failure: AuthenticationFailure, at now: Instant, skewMax: Span) {
        let signature =
            "The request signature we calculated does not match the signature you provided. Check "
            + "your AWS Secret Access Key and signing method. Consult the service documentation "
            + "for details."
        switch failure {
        case .missing:
            self.init(403, "MissingAuthenticationToken", "Request is missing Authentication Token")
        case .malformed, .expiryOutOfRange:
            self.init(
                400, "IncompleteSignature",
                "Authorization header requires 'Credential' parameter. Authorization header "
                    + "requires 'Signature' parameter. Authorization header requires "
                    + "'SignedHeaders' parameter. Authorization header requires existence of "
                    + "either a 'X-Amz-Date' or a 'Date' header.")
        case .unknownAlgorithm:
            self.init(400, "IncompleteSignature", "Unsupported AWS 'algorithm' in Authorization")
        case .wrongService(let service):
            self.init(
                403, "SignatureDoesNotMatch",
                "Credential should be scoped to correct service: 'sts', not '\(service)'.")
        case .unknownAccessKey, .invalidToken:
            self.init(
                403, "InvalidClientTokenId",
                "The security token included in the request is invalid.")
        case .expiredToken: self = .expiredToken
        case .skewed(let signedAt):
            let minutes = skewMax.seconds / 60
            let limit = signedAt < now ? now - skewMax : now + skewMax
            let times = (signedAt.compactISO8601, limit.compactISO8601, now.compactISO8601)
            self.init(
                403, "SignatureDoesNotMatch",
                signedAt < now
                    ? "Signature expired: \(times.0) is now earlier than \(times.1) "
                        + "(\(times.2) - \(minutes) min.)"
                    : "Signature not yet current: \(times.0) is still later than \(times.1) "
                        + "(\(times.2) + \(minutes) min.)")
        case .presignedURLExpired(let signedAt, let lifetime):
            let end = signedAt + lifetime
            self.init(
                403, "SignatureDoesNotMatch",
                "Signature expired: \(end.compactISO8601) is now earlier than "
                    + now.compactISO8601)
        case .wrongSignature:
            self.init(403, "SignatureDoesNotMatch", signature)
        }
    }
}
