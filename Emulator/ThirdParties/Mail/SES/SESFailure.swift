internal import Bytes
internal import EmulatorAWS
internal import HTTP
internal import JSON

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

    init(_ refusal: CallRefusal) { self.init(refusal.status, refusal.code, refusal.message) }

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
