/// A proof of who the user is, within a session.
public enum StepUpProof: Equatable, Sendable {
    case password(String)
    /// The six digits of an authenticator app.
    case code(String)
    case recoveryCode(String)
    /// The link or code that ``LatchkeyClient/requestLink(email:)`` mailed to the account.
    case mail(MailProof)
    case passkey(PasskeyResponse)
    case identity(IdentityCredential)
}

/// The strength and time of a session's authentication.
public struct StepUpResult: Equatable, Sendable {
    /// `aal1`, `aal2` or `phr`.
    public let strength: String
    /// The methods of RFC 8176.
    public let methods: [String]
}

extension LatchkeyClient {
    /// The methods that were used, by their names in RFC 8176.
    @discardableResult
    public func stepUp(_ proof: StepUpProof) async throws(AuthError) -> StepUpResult {
        let members: [String: JSON]
        switch proof {
        case .password(let password): members = ["password": password.json]
        case .code(let code): members = ["code": code.json]
        case .recoveryCode(let code): members = ["recoveryCode": code.json]
        case .mail(let proof): members = try await proofMembers(proof, .link)
        case .passkey(let response): members = try response.members.get()
        case .identity(let credential): members = try identityMembers(credential)
        }
        let answer = try await call(.stepUp, body: .object(members))
        if case .mail = proof { await forget(.link) }
        let tokens = SessionAnswer(
            answer.body, answer.response, contract, sentAt: answer.sentAt, now: clock.now())
        guard let tokens, let strength = answer.body["acr"]?.text else {
            throw .unavailable(retryAfter: nil)
        }
        // The tokens of a concurrent refresh include the proof as well.
        await change(answer.session) { live in
            live.record.replaceAccessToken(with: tokens)
            live.receivedAt = tokens.sentAt
            live.isRejected = false
        }
        return StepUpResult(
            strength: strength, methods: answer.body["amr"]?.items?.compactMap(\.text) ?? [])
    }

    func change(_ session: String?, _ change: (inout LiveSession) -> Void) async {
        await enterGate()
        defer { leaveGate() }
        guard let live = apply({ $0.changed(in: session, change) }) else { return }
        // If storing fails, other processes ask the user for the proof again, or have the former
        // name until the next refresh.
        if live.storage == .stored { _ = try? await write(.put(live.record, over: .stored)) }
    }
}
