public import Foundation

/// The account, with its sign-in methods.
public struct Profile: Equatable, Sendable {
    public let user: User
    public let authProviders: [String]

    init(_ body: JSON) throws(AuthError) {
        guard let user = User(body) else { throw .unavailable(retryAfter: nil) }
        self.user = user
        authProviders = body["authProviders"]?.items?.compactMap(\.text) ?? []
    }
}

/// A session of the account, on this device or another one.
public struct SessionInfo: Codable, Equatable, Sendable {
    public struct Device: Codable, Equatable, Sendable {
        public let name: String?
        public let os: String?
    }

    public let id: String
    /// Whether this is the session of this client.
    public let current: Bool
    public let createdAt: String
    public let lastUsedAt: String
    public let device: Device?
    public let ipAddress: String?
    public let userAgent: String?
}

/// A page of a list, which may have a next page.
public struct Page: Equatable, Sendable {
    /// The items of the page, as JSON.
    public let content: Data
    /// The value of `after` for the next page; nil on the last page.
    public let next: String?
}

extension LatchkeyClient {
    /// Gets the signed-in user from the server.
    public func profile() async throws(AuthError) -> Profile {
        try Profile(await call(.profile).body)
    }

    /// Changes the user's name. An empty name removes it.
    public func changeName(to name: String) async throws(AuthError) -> Profile {
        let answer = try await call(.changeName, body: .members(["displayName": name.json]))
        let profile = try Profile(answer.body)
        await change(answer.session) { $0.record.user = profile.user }
        return profile
    }

    /// Deletes the account and everything that belongs to it. The session ends here too.
    ///
    /// Needs a recent proof of who the user is.
    public func deleteAccount() async throws(AuthError) {
        await endLocally(only: try await call(.deleteAccount).session)
    }

    /// All that the server has stored about the user, page by page.
    public func export(after: String? = nil) async throws(AuthError) -> Page {
        try await page(.export, after)
    }

    /// Audit events of the account, newest first.
    public func audit(after: String? = nil) async throws(AuthError) -> Page {
        try await page(.audit, after)
    }

    public func sessions() async throws(AuthError) -> [SessionInfo] {
        try await call(.listSessions).list("sessions")
    }

    /// Ends a session. If it is this client's own, this is the same as ``signOut(_:)``.
    public func endSession(id: String) async throws(AuthError) {
        let answer = try await call(.listSessions)
        let sessions: [SessionInfo] = try answer.list("sessions")
        let isCurrent = sessions.contains { $0.id == id && $0.current }
        _ = try await call(.endSession, id: id)
        if isCurrent { await endLocally(only: answer.session) }
    }

    /// Ends all other sessions of the account.
    public func signOutOthers() async throws(AuthError) {
        let live = try await freshSession(minimumLife: .seconds(10))
        guard contract.names.hasRequestSecret else {
            throw .unsupported("signing out of other sessions in \(contract.name)")
        }
        let token = live.record.refreshToken?.json
        _ = try await call(.signOut, body: .members(["refreshToken": token, "scope": "others"]))
    }

    /// Mails a link that verifies the address of the account.
    public func requestConfirmation() async throws(AuthError) -> MailSent {
        try await mail(.requestConfirmation, .confirm, nil, signed: true)
    }

    /// Mails a link to a new address, which replaces the account's address after confirmation.
    public func changeEmail(to email: String) async throws(AuthError) -> MailSent {
        try await mail(.changeEmail, .confirm, .members(["email": email.json]), signed: true)
    }

    /// Confirms an address with the mailed proof.
    public func confirmEmail(_ proof: MailProof) async throws(AuthError) {
        let members = try await proofMembers(proof, .confirm)
        _ = try await call(.confirmEmail, body: .object(members))
        await forget(.confirm)
    }

    /// Restores the former address, with the link that was mailed to the former address.
    public func undoEmailChange(token: String) async throws(AuthError) {
        _ = try await callOpen(.undoEmail, body: .members(["token": token.json]))
    }

    /// Undoes an added sign-in method or a changed second factor, with the link of the mail about
    /// it. Every session ends; let the user choose a new password.
    public func undoChange(token: String) async throws(AuthError) {
        _ = try await callOpen(.undoChange, body: .members(["token": token.json]))
    }

    private func page(_ list: ClientOperation, _ after: String?) async throws(AuthError) -> Page {
        let answer = try await call(list, query: after.map { ["after": $0] } ?? [:])
        return Page(content: answer.response.body, next: answer.body["next"]?.text)
    }
}
