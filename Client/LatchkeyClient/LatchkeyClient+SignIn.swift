public import Foundation

/// The outcome of a sign-in.
public enum SignInResult: Equatable, Sendable {
    case signedIn(Session)
    /// The account has a second factor: see ``LatchkeyClient/answer(_:with:)``.
    case secondFactorRequired(SecondFactorChallenge)

    /// nil if a second factor is required.
    public var session: Session? {
        if case .signedIn(let session) = self { session } else { nil }
    }
}

/// A sign-in that waits for its second factor.
public struct SecondFactorChallenge: Equatable, Sendable {
    let ticket: String
    public let expiresIn: Duration
    /// Some of `totp`, `recoveryCode` and `passkey`.
    public let methods: [String]
}

extension LatchkeyClient {
    /// Begins a session with tokens that the app has stored itself, before it used this client.
    public func adopt(
        accessToken: String, refreshToken: String, expiresAt: Date
    ) async throws(AuthError) -> Session {
        let body: [String: JSON] = [
            contract.names.accessToken: accessToken.json,
            contract.names.refreshToken: refreshToken.json,
            "expiresIn": .number(max(expiresAt.timeIntervalSince(clock.now()), 0.001)),
        ]
        let answer = Answer(
            status: 200, body: .object(body), response: HTTPResponse(status: 200),
            // Backdated by a second, so that an expired token is replaced at once.
            sentAt: clock.uptime() - .seconds(1))
        return try await beginSession(answer, before: intent)
    }

    /// Begins a session with the response of a sign-in operation.
    ///
    /// - Parameter before: the value of `intent` when the user asked for the sign-in.
    func begin(_ answer: Answer, before: Int) async throws(AuthError) -> SignInResult {
        if answer.status == 202, answer.body["secondFactorRequired"]?.flag == true {
            guard let ticket = answer.body["ticket"]?.text,
                let seconds = answer.body["expiresIn"]?.seconds, seconds >= 0, seconds < 1e9
            else { throw .unavailable(retryAfter: nil) }
            return .secondFactorRequired(
                SecondFactorChallenge(
                    ticket: ticket, expiresIn: .seconds(seconds),
                    methods: answer.body["methods"]?.items?.compactMap(\.text) ?? []))
        }
        return .signedIn(try await beginSession(answer, before: before))
    }

    func beginSession(_ answer: Answer, before: Int) async throws(AuthError) -> Session {
        try await takeOver(answer, before: before, continuing: nil)
    }

    /// Continues the request's session with the tokens of a response. The server has revoked the
    /// earlier tokens.
    func continueSession(_ answer: Answer) async throws(AuthError) -> Session {
        try await takeOver(answer, before: intent, continuing: answer.session)
    }

    private func takeOver(
        _ answer: Answer, before: Int, continuing old: String?
    ) async throws(AuthError) -> Session {
        let tokens = SessionAnswer(
            answer.body, answer.response, contract, sentAt: answer.sentAt, now: clock.now())
        guard let tokens else { throw .unavailable(retryAfter: nil) }
        if let session = await install(tokens, before: before, continuing: old) { return session }
        // These tokens are not stored. If the request to end their session is lost, the server ends
        // the session after its idle time.
        _ = await endOnServer(SessionRecord(tokens, id: ""), scope: .session)
        throw .superseded
    }

    /// Stores and publishes a session. Returns nil if the user has signed in or out in the
    /// meantime.
    private func install(
        _ tokens: SessionAnswer, before: Int, continuing old: String?
    ) async -> Session? {
        await enterGate()
        defer { leaveGate() }
        let id = options.randomText(bytes: 16)
        guard var live = machine.session(with: tokens, id: id, continuing: old, since: before)
        else { return nil }
        let written = try? await write(
            .put(live.record, over: .unsavedSignIn, deviceToken: tokens.deviceToken))
        if written == nil { live.storage = .unsavedSignIn }
        if apply({ $0.signedIn(live, since: before) }) { return live.record.session }
        await removeEnded()
        return nil
    }

    func storedRecord() async throws(AuthError) -> StoredRecord {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) {
            return try record(of: try await store.load())
        } catch {
            throw AuthError(error)
        }
    }

    /// The members of a sign-in that describe the device.
    func deviceMembers(_ device: Device?) async -> [String: JSON] {
        guard contract.names.hasDevices else { return [:] }
        // An unreadable store does not prevent the sign-in: the user is asked for a second factor.
        let token = try? await storedRecord().deviceToken
        var members = describing(device ?? options.device)
        members["deviceToken"] = token?.json
        return members
    }

    func describing(_ device: Device) -> [String: JSON] {
        var members: [String: JSON] = [:]
        members["deviceFingerprint"] = device.fingerprint?.json
        if device.name != nil || device.os != nil {
            members["device"] = .members(["name": device.name?.json, "os": device.os?.json])
        }
        return members
    }
}
