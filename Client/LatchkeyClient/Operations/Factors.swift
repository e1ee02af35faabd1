import Foundation

/// The user's proof of a second factor.
public enum FactorAnswer: Equatable, Sendable {
    /// The six digits of an authenticator app.
    case code(String)
    case recoveryCode(String)
    case passkey(PasskeyResponse)

    var members: Result<[String: JSON], AuthError> {
        switch self {
        case .code(let code): .success(["code": code.json])
        case .recoveryCode(let code): .success(["recoveryCode": code.json])
        case .passkey(let response): response.members
        }
    }
}

/// A secret to be entered into an authenticator app.
public struct FactorEnrolment: Codable, Equatable, Sendable {
    /// The secret in base32.
    public let secret: String
    /// `otpauth://…`, for authenticator apps on this device.
    public let uri: String
    /// A QR code of the URI, as an SVG document.
    public let qrCode: String
    public let expiresIn: Int
}

/// A device on which the user has signed in.
public struct KnownDevice: Codable, Equatable, Sendable {
    public let id: String
    public let current: Bool
    public let name: String?
    public let os: String?
    public let userAgent: String?
    public let ipAddress: String?
    public let sessions: Int
    public let firstSeenAt: String
    public let lastUsedAt: String
    public let trustedUntil: String?
}

extension LatchkeyClient {
    /// Completes a sign-in with its second factor.
    public func answer(
        _ challenge: SecondFactorChallenge, with factor: FactorAnswer
    ) async throws(AuthError) -> Session {
        let before = intent
        var members = try factor.members.get()
        members["ticket"] = challenge.ticket.json
        let answer = try await callOpen(.secondFactor, body: .object(members))
        return try await beginSession(answer, before: before)
    }

    /// Begins to add an authenticator app. Needs a recent proof of who the user is.
    public func enrolFactor() async throws(AuthError) -> FactorEnrolment {
        try await call(.enrolFactor).decode(FactorEnrolment.self)
    }

    /// Switches the second factor on. Other sessions end; this one gets new tokens.
    ///
    /// - Returns: recovery codes, which the user should write down.
    public func confirmFactor(code: String) async throws(AuthError) -> [String] {
        let answer = try await call(.confirmFactor, body: .members(["code": code.json]))
        _ = try await continueSession(answer)
        return try answer.list("recoveryCodes")
    }

    public func replaceRecoveryCodes(code: String) async throws(AuthError) -> [String] {
        try await call(.replaceRecoveryCodes, body: .members(["code": code.json]))
            .list("recoveryCodes")
    }

    /// Switches the second factor off. Other sessions end; this one gets new tokens.
    public func removeFactor(_ factor: FactorAnswer) async throws(AuthError) -> Session {
        let answer = try await call(.removeFactor, body: .object(try factor.members.get()))
        return try await continueSession(answer)
    }

    public func devices() async throws(AuthError) -> [KnownDevice] {
        try await call(.listDevices).list("devices")
    }

    /// Makes this device trusted: on it, the user is not asked for the second factor for a while.
    public func trustDevice(id: String, code: String) async throws(AuthError) {
        let answer = try await call(.trustDevice, id: id, body: .members(["code": code.json]))
        guard let token = answer.body["deviceToken"]?.text else {
            throw .unavailable(retryAfter: nil)
        }
        try await changeStore(.trust(deviceToken: token))
    }

    /// Forgets a device, and ends its sessions.
    public func forgetDevice(id: String) async throws(AuthError) {
        _ = try await call(.forgetDevice, id: id)
    }
}
