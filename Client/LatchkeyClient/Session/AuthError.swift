import Foundation

/// Every error of the client.
public enum AuthError: Error, Equatable, Sendable {
    /// There is no session.
    case signedOut
    /// The server has ended the session. The code comes from the server.
    case signInAgain(code: String?)
    /// The server cannot be reached. The session continues.
    case offline
    /// The server does not answer, or its answer cannot be read. The session continues.
    case unavailable(retryAfter: Duration?)
    case rateLimited(retryAfter: Duration?)
    /// The device is locked, so the store cannot be read now. The session continues.
    case storeLocked
    case storeFailed(String)
    /// The user signed out, or another user signed in, during the request.
    case superseded
    /// The server refuses the request.
    case refused(Refusal)
    /// The contract has no such operation, or does not allow these parameters.
    case unsupported(String)
    case cancelled

    /// Whether the same call may succeed later, without the user.
    public var isTransient: Bool {
        switch self {
        case .offline, .unavailable, .rateLimited, .storeLocked, .storeFailed, .cancelled: true
        case .signedOut, .signInAgain, .superseded, .refused, .unsupported: false
        }
    }
}

/// The error response of a server.
public struct Refusal: Error, Equatable, Sendable {
    public let status: Int
    /// A code of the contract, such as `INVALID_LINK`.
    public let code: String?
    /// A sentence for developers.
    public let message: String?
    /// The member of the request that is wrong.
    public let field: String?
    /// The code that a hook of the application returned.
    public let reason: String?
    /// Merges this account into the account that has the identity: see
    /// ``LatchkeyClient/merge(into:factor:device:)``.
    public let mergeTicket: String?
    /// The proof that the request needs: see ``LatchkeyClient/stepUp(_:)``.
    public let stepUp: StepUpRequirement?

    package init(
        status: Int, code: String? = nil, message: String? = nil, field: String? = nil,
        reason: String? = nil, mergeTicket: String? = nil, stepUp: StepUpRequirement? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
        self.mergeTicket = mergeTicket
        self.stepUp = stepUp
    }
}

/// The authentication that a server requires for a request (RFC 9470).
public struct StepUpRequirement: Equatable, Sendable {
    /// Accepted strengths: `aal2`, `phr`. Empty if any strength is accepted.
    public let strengths: [String]
    /// The maximum age of the proof, in seconds.
    public let ageSecondsMax: Int?

    /// Reads the challenge of RFC 9470 section 3. nil for any other challenge.
    package init?(challenge: String?) {
        guard let challenge, challenge.contains("insufficient_user_authentication") else {
            return nil
        }
        strengths =
            Self.parameter("acr_values", of: challenge)?.split(separator: " ").map(String.init)
            ?? []
        ageSecondsMax = Self.parameter("max_age", of: challenge).flatMap { Int($0) }
    }

    private static func parameter(_ name: String, of challenge: String) -> Substring? {
        guard let start = challenge.range(of: name + "=\"")?.upperBound else { return nil }
        return challenge[start...].prefix { $0 != "\"" }
    }
}

extension AuthError {
    /// The error for a response without a success status.
    init(_ response: HTTPResponse, _ problem: Problem?) {
        let wait = response.header("retry-after").flatMap { Int($0) }
            .map { Duration.seconds(min(max($0, 0), 86_400)) }
        switch response.status {
        case 429: self = .rateLimited(retryAfter: wait)
        case 400..<500 where problem != nil && response.status != 408:
            self = .refused(
                Refusal(
                    status: response.status, code: problem?.code, message: problem?.message,
                    field: problem?.field, reason: problem?.reason, mergeTicket: problem?.merge,
                    stepUp: StepUpRequirement(challenge: response.header("www-authenticate"))))
        // The response does not follow the contract: it may come from a proxy, a captive portal or
        // an outage.
        default: self = .unavailable(retryAfter: wait)
        }
    }

    init(_ failure: TransportError) {
        switch failure {
        case .notSent: self = .offline
        case .lost, .answerTooLarge: self = .unavailable(retryAfter: nil)
        case .cancelled: self = .cancelled
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .locked: self = .storeLocked
        case .busy: self = .storeFailed("busy")
        case .failed(let reason): self = .storeFailed(reason)
        }
    }

    var retryAfter: Duration? {
        switch self {
        case .unavailable(let time), .rateLimited(let time): time
        default: nil
        }
    }

    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }

    func after(_ time: Duration) -> AuthError {
        switch self {
        case .unavailable: .unavailable(retryAfter: time)
        case .rateLimited: .rateLimited(retryAfter: time)
        default: self
        }
    }
}
