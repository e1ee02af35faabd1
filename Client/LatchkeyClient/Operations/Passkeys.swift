public import Foundation

/// The beginning of a passkey ceremony.
public struct PasskeyCeremony: Equatable, Sendable {
    /// The ceremony's ID, which the response contains.
    public let id: String
    /// The options of WebAuthn Level 3 as JSON, for the platform: see `PasskeyAuthorization` on
    /// Apple's systems.
    public let options: Data
    /// Whether the passkey is made without a sheet.
    let isConditional: Bool

    /// How long the ceremony is valid.
    var timeout: Duration { .milliseconds(JSON(options)?["timeout"]?.seconds ?? 300_000) }
}

/// The response of an authenticator.
public struct PasskeyResponse: Equatable, Sendable {
    public let ceremony: String
    /// RegistrationResponseJSON or AuthenticationResponseJSON of WebAuthn Level 3.
    public let credential: Data

    public init(ceremony: String, credential: Data) {
        self.ceremony = ceremony
        self.credential = credential
    }

    var members: Result<[String: JSON], AuthError> {
        guard let credential = JSON(credential), case .object = credential else {
            return .failure(.unsupported("a credential that is not JSON"))
        }
        return .success(["ceremony": ceremony.json, "credential": credential])
    }
}

/// The purpose of a passkey ceremony.
public enum PasskeyPurpose: Equatable, Sendable {
    /// The passkey of a new account.
    case signUp(email: String? = nil, name: String? = nil)
    case signIn
    /// Another passkey for the account.
    case add(isConditional: Bool = false)
    case secondFactor(SecondFactorChallenge)
    case stepUp
}

/// A passkey of the account, as the server lists it.
public struct Passkey: Codable, Equatable, Sendable {
    public let id: String
    /// The credential ID, as authenticators know it.
    public let credentialId: String
    public let name: String?
    /// The password manager or authenticator that has the passkey.
    public let provider: String?
    public let synced: Bool
    public let backedUp: Bool
    /// Whether this session was begun with this passkey.
    public let current: Bool
    public let createdAt: String
    public let lastUsedAt: String
}

extension LatchkeyClient {
    /// Begins a ceremony: gets the options for the platform.
    public func passkeyOptions(
        for purpose: PasskeyPurpose
    ) async throws(AuthError) -> PasskeyCeremony {
        let members: [String: JSON?] =
            switch purpose {
            case .signUp(let email, let name):
                ["purpose": "signUp", "email": email?.json, "name": name?.json]
            case .signIn: ["purpose": "signIn"]
            case .secondFactor(let challenge):
                ["purpose": "secondFactor", "ticket": challenge.ticket.json]
            case .add(let isConditional): ["purpose": "add", "conditional": .bool(isConditional)]
            case .stepUp: ["purpose": "stepUp"]
            }
        let body = JSON.members(members)
        let answer =
            switch purpose {
            case .signUp, .signIn, .secondFactor: try await callOpen(.passkeyOptions, body: body)
            case .add, .stepUp: try await call(.passkeyOptions, body: body)
            }
        guard let id = answer.body["ceremony"]?.text, let options = answer.body["options"] else {
            throw .unavailable(retryAfter: nil)
        }
        return PasskeyCeremony(
            id: id, options: options.bytes, isConditional: purpose == .add(isConditional: true))
    }

    /// Makes an account that has only a passkey.
    public func signUp(
        _ response: PasskeyResponse, name: String? = nil, device: Device? = nil
    ) async throws(AuthError) -> Session {
        let before = intent
        var members = try response.members.get()
        members["name"] = name?.json
        members.merge(describing(device ?? options.device)) { $1 }
        let answer = try await callOpen(.passkeySignUp, body: .object(members))
        return try await beginSession(answer, before: before)
    }

    public func signIn(
        _ response: PasskeyResponse, device: Device? = nil
    ) async throws(AuthError) -> SignInResult {
        let before = intent
        var members = try response.members.get()
        members.merge(await deviceMembers(device)) { $1 }
        return try await begin(
            try await callOpen(.passkeySignIn, body: .object(members)), before: before)
    }

    public func passkeys() async throws(AuthError) -> [Passkey] {
        try await call(.listPasskeys).list("passkeys")
    }

    public func addPasskey(
        _ response: PasskeyResponse, name: String? = nil
    ) async throws(AuthError) -> [Passkey] {
        var members = try response.members.get()
        members["name"] = name?.json
        return try await call(.addPasskey, body: .object(members)).list("passkeys")
    }

    public func renamePasskey(id: String, to name: String) async throws(AuthError) -> [Passkey] {
        try await call(.renamePasskey, id: id, body: .members(["name": name.json]))
            .list("passkeys")
    }

    /// Removes a passkey, unless it is the last sign-in method. Needs a recent proof of who the
    /// user is.
    public func removePasskey(id: String) async throws(AuthError) {
        _ = try await call(.removePasskey, id: id)
    }
}
