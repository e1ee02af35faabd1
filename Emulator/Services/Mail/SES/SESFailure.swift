internal import Bytes
internal import EmulatorIAM
internal import HTTP
internal import JSON
internal import Time

/// An error of SES, with its codes and messages.
struct SESFailure: Error, Equatable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func badRequest(_ message: String) -> SESFailure {
        SESFailure(400, "BadRequestException", message)
    }

    static func notFound(_ message: String) -> SESFailure {
        SESFailure(404, "NotFoundException", message)
    }

    static func alreadyExists(_ message: String) -> SESFailure {
        SESFailure(400, "AlreadyExistsException", message)
    }

    static func limitExceeded(_ message: String) -> SESFailure {
        SESFailure(400, "LimitExceededException", message)
    }

    static func rejected(_ message: String) -> SESFailure {
        SESFailure(400, "MessageRejected", message)
    }

    static func notVerified(_ address: String, region: String) -> SESFailure {
        let region = String(
            decoding: region.utf8.map(\.uppercased), as: UTF8.self)
        return .rejected(
            "Email address is not verified. The following identities failed the check in region "
                + "\(region): \(address)")
    }

    static func notAuthorized(
        _ identity: CallerIdentity, _ action: String, _ resource: String
    ) -> SESFailure {
        SESFailure(
            403, "AccessDeniedException",
            "User `\(identity.arn)' is not authorized to perform `\(action)' on resource "
                + "`\(resource)'")
    }

    static let internalFailure = SESFailure(
        500, "InternalServiceErrorException", "The mailbox cannot be read or written")

    init(_ fault: MailFault) {
        switch fault {
        case .sendingPaused:
            self.init(
                400, "SendingPausedException",
                "The account's ability to send email is currently paused.")
        case .accountSuspended:
            self.init(
                400, "AccountSuspendedException",
                "The account's ability to send email has been permanently restricted.")
        case .throttled:
            self.init(429, "TooManyRequestsException", "Maximum sending rate exceeded.")
        case .limitExceeded:
            self.init(400, "LimitExceededException", "Daily message quota exceeded.")
        case .domainNotVerified:
            self.init(
                400, "MailFromDomainNotVerifiedException",
                "The sending domain is not verified.")
        case .rejected:
            self.init(400, "MessageRejected", "The message contains invalid content.")
        }
    }

    init(_ failure: AuthenticationFailure, at now: Instant, skewMax: Span) {
        switch failure {
        case .missing:
            self.init(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        case .malformed, .expiryOutOfRange, .unknownAlgorithm:
            self.init(
                403, "IncompleteSignatureException",
                "Authorization header requires 'Credential' parameter. Authorization header "
                    + "requires 'Signature' parameter. Authorization header requires "
                    + "'SignedHeaders' parameter. Authorization header requires existence of "
                    + "either a 'X-Amz-Date' or a 'Date' header.")
        case .wrongService(let service):
            self.init(
                403, "InvalidSignatureException",
                "Credential should be scoped to correct service: 'ses', not '\(service)'.")
        case .unknownAccessKey, .invalidToken:
            self.init(
                403, "UnrecognizedClientException",
                "The security token included in the request is invalid.")
        case .expiredToken:
            self.init(
                403, "ExpiredTokenException",
                "The security token included in the request is expired")
        case .skewed(let signedAt):
            let limit = signedAt < now ? now - skewMax : now + skewMax
            let minutes = skewMax.seconds / 60
            self.init(
                403, "InvalidSignatureException",
                signedAt < now
                    ? "Signature expired: \(signedAt.compactISO8601) is now earlier than "
                        + "\(limit.compactISO8601) (\(now.compactISO8601) - \(minutes) min.)"
                    : "Signature not yet current: \(signedAt.compactISO8601) is still later than "
                        + "\(limit.compactISO8601) (\(now.compactISO8601) + \(minutes) min.)")
        case .presignedURLExpired, .wrongSignature:
            self.init(
                403, "InvalidSignatureException",
                "The request signature we calculated does not match the signature you provided. "
                    + "Check your AWS Secret Access Key and signing method. Consult the service "
                    + "documentation for details.")
        }
    }

    func response(requestID: String) -> HTTPResponse {
        SESResponse.response(
            status, ["message": .string(message)], requestID: requestID,
            [HTTPHeader("x-amzn-ErrorType", code)])
    }
}

enum SESResponse {
    static func response(
        _ status: Int, _ body: JSONObject, requestID: String, _ more: [HTTPHeader] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("x-amzn-RequestId", requestID),
            ] + more, body: body.serialized)
    }
}
