import Foundation

/// A nonce for an identity token.
public struct Challenge: Equatable, Sendable {
    public let nonce: String
    public let expiresIn: Duration
}

/// The credential that an identity provider returns to an app.
public struct IdentityCredential: Equatable, Sendable {
    /// `apple`, `google`, or the name of another provider that the server knows.
    public var provider: String
    public var idToken: String
    /// The nonce from ``LatchkeyClient/challenge()``, if the request for the token had one.
    public var nonce: String?
    public var authorizationCode: String?
    /// Apple sends the name only once, at the first sign-in. If that fails, the client sends the
    /// name with the user's next credential.
    public var givenName: String?
    public var familyName: String?
    public var email: String?
    /// The provider's user ID. It is not sent, because the token contains it. An app may keep it to
    /// ask Apple later whether the user still lets the app sign in.
    public var userID: String?

    public init(
        provider: String, idToken: String, nonce: String? = nil, authorizationCode: String? = nil,
        givenName: String? = nil, familyName: String? = nil, email: String? = nil,
        userID: String? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.userID = userID
    }
}

/// A sign-in method of the account.
public struct SignInMethod: Codable, Equatable, Sendable {
    /// The name of a provider, or `email`.
    public let method: String
    public let email: String?
    public let hasPassword: Bool?
}

/// The target account of a merge.
public enum MergeTarget: Sendable {
    /// The ticket in the error that ``LatchkeyClient/link(_:)`` throws.
    case ticket(String)
    /// The session of the other account, in another client. That client can no longer use the
    /// session, because two clients would compete for its refresh token.
    case session(LatchkeyClient)
}

/// The result of adding a password.
public enum PasswordAddition: Equatable, Sendable {
    case added([SignInMethod])
    /// The address must be proven first: see ``LatchkeyClient/confirmPassword(_:)``.
    case mailed(MailSent)
}

extension LatchkeyClient {
    /// Gets a nonce for requesting an identity token.
    public func challenge() async throws(AuthError) -> Challenge {
        let answer = try await callOpen(.challenge)
        guard let nonce = answer.body["nonce"]?.text, let life = answer.body["expiresIn"]?.seconds,
            life >= 0, life < 1e9
        else { throw .unavailable(retryAfter: nil) }
        return Challenge(nonce: nonce, expiresIn: .seconds(life))
    }

    /// Signs in with an identity token of a provider.
    public func signIn(
        _ credential: IdentityCredential, device: Device? = nil
    ) async throws(AuthError) -> SignInResult {
        let before = intent
        var members = try identityMembers(credential)
        members.merge(await deviceMembers(device)) { $1 }
        let id = credential.userID ?? ""
        var names = [credential.givenName, credential.familyName]
        if names == [nil, nil] { names = unsentNames[id] ?? [] }
        if !names.isEmpty {
            if !id.isEmpty { unsentNames[id] = names }
            let isPlain = contract.names.hasPlainFullName
            members[isPlain ? "full_name" : "fullName"] =
                isPlain
                ? names.compactMap { $0 }.joined(separator: " ").json
                : .members(["givenName": names[0]?.json, "familyName": names[1]?.json])
        }
        // The address is sent only to servers that do not read it from the token.
        if !contract.names.hasProvider { members["email"] = credential.email?.json }
        let answer = try await callOpen(.signIn, body: .object(members))
        unsentNames[id] = nil
        return try await begin(answer, before: before)
    }

    /// The sign-in methods of the account.
    public func methods() async throws(AuthError) -> [SignInMethod] {
        try await call(.listMethods).list("methods")
    }

    /// Adds an identity to the account. Needs a recent proof of who the user is.
    ///
    /// If the identity belongs to another account, the error has a ticket to merge the accounts.
    public func link(_ credential: IdentityCredential) async throws(AuthError) -> [SignInMethod] {
        let body = JSON.object(try identityMembers(credential))
        return try await call(.linkIdentity, body: body).list("methods")
    }

    /// Removes a sign-in method, unless it is the last one. Other sessions end; this one gets new
    /// tokens.
    public func removeMethod(_ method: String) async throws(AuthError) -> Session {
        try await continueSession(try await call(.removeMethod, id: method))
    }

    /// Adds a password to an account without one.
    ///
    /// - Parameters:
    ///   - password: the new password.
    ///   - email: the login, if the account has no address.
    public func addPassword(
        _ password: String, email: String? = nil
    ) async throws(AuthError) -> PasswordAddition {
        let body = JSON.members(["password": password.json, "email": email?.json])
        let answer = try await call(.addPassword, body: body)
        if answer.status == 202 { return .mailed(try await remember(answer, .addition)) }
        return .added(try answer.list("methods"))
    }

    public func confirmPassword(_ proof: MailProof) async throws(AuthError) -> [SignInMethod] {
        let members = try await proofMembers(proof, .addition)
        let answer = try await call(.confirmPassword, body: .object(members))
        await forget(.addition)
        return try answer.list("methods")
    }

    /// Merges this account into another one, and continues with a session of that account.
    ///
    /// - Parameters:
    ///   - other: the proof that the user owns the remaining account.
    ///   - factor: the second factor of the remaining account, if it has one.
    ///   - device: the description of this device, if it differs from the one in the options.
    public func merge(
        into other: MergeTarget, factor: FactorAnswer? = nil, device: Device? = nil
    ) async throws(AuthError) -> Session {
        let before = intent
        let live = try await freshSession(minimumLife: .seconds(10))
        var members = await deviceMembers(device)
        members["deviceToken"] = nil
        if let factor { members.merge(try factor.members.get()) { $1 } }
        var otherID: String?
        switch other {
        case .ticket(let ticket): members["merge"] = ticket.json
        case .session(let client):
            let stays = try await client.freshSession(minimumLife: .seconds(10)).record
            otherID = stays.id
            members["into"] = .members([
                "accessToken": stays.accessToken.json, "refreshToken": stays.refreshToken?.json,
            ])
        }
        members["refreshToken"] = live.record.refreshToken?.json
        let answer = try await call(.merge, body: .object(members))
        if case .session(let client) = other { await client.endLocally(only: otherID) }
        return try await beginSession(answer, before: before)
    }

    func identityMembers(_ credential: IdentityCredential) throws(AuthError) -> [String: JSON] {
        let names = contract.names
        guard names.hasProvider || credential.provider == "apple" else {
            throw .unsupported("\(credential.provider) in \(contract.name)")
        }
        var members = [names.idToken: credential.idToken.json]
        if names.hasProvider { members["provider"] = credential.provider.json }
        members["nonce"] = credential.nonce?.json
        members["authorizationCode"] = credential.authorizationCode?.json
        return members
    }
}

extension Answer {
    /// Decodes a list in the answer.
    func list<Item: Decodable>(_ name: String) throws(AuthError) -> [Item] {
        try decode([Item].self, body[name])
    }

    func decode<T: Decodable>(_ type: T.Type, _ part: JSON? = nil) throws(AuthError) -> T {
        guard let part = part ?? body.present,
            let value = try? JSONDecoder().decode(type, from: part.bytes)
        else { throw .unavailable(retryAfter: nil) }
        return value
    }
}

extension JSON {
    var present: JSON? { self == .null ? nil : self }
}
