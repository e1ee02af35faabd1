public import Observation

/// A client's session as an observable object, which updates views.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class SessionModel {
    /// Which screen the app should show.
    public enum Phase: Equatable, Sendable {
        /// The store has not been read yet: show a launch screen.
        case restoring
        /// The sign-in page.
        case signedOut
        case signedIn(Session)
        /// The user has to act first: see `Attention`.
        case needsAttention(Attention)
    }

    public enum Attention: Equatable, Sendable {
        /// The server has ended the session, and the sign-in page should say so. The code comes
        /// from the server.
        case signInAgain(code: String?)
        /// The stored session cannot be read: call ``SessionModel/restore()`` again, for example
        /// after the device is unlocked.
        case storeUnreadable(AuthError)
    }

    public nonisolated let client: LatchkeyClient
    public private(set) var phase = Phase.restoring
    /// Whether the session is stored, so that it survives the end of the app. Until then the client
    /// keeps trying to store it.
    public private(set) var isStored = true
    /// A sign-in that waits for its second factor: show a page that asks for it.
    public private(set) var secondFactor: SecondFactorChallenge?
    /// Why the latest action failed. A view sets it to nil after showing it.
    public var error: AuthError?
    private var actionCount = 0
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Whether an action is under way.
    public var isBusy: Bool { actionCount > 0 }

    /// The signed-in user, nil if there is none or the contract does not say.
    public var user: User? {
        if case .signedIn(let session) = phase { session.user } else { nil }
    }

    public init(client: LatchkeyClient) {
        self.client = client
        // The model owns this task, which ends with the model.
        following = Task { [weak self, events = client.events()] in
            for await event in events { self?.take(event) }
        }
    }

    deinit { following?.cancel() }

    /// Reads the stored session. Call it at launch, and after the device is unlocked.
    public func restore() async {
        do throws(AuthError) {
            // The event that the client emits sets the phase.
            _ = try await client.restore()
        } catch {
            if phase == .restoring { phase = .needsAttention(.storeUnreadable(error)) }
        }
    }

    /// Signs in by any of the client's operations. If a second factor is needed, ``secondFactor``
    /// is set; an error is in ``error``.
    public func signIn(
        _ action: (LatchkeyClient) async throws(AuthError) -> SignInResult
    ) async {
        guard let result = await perform(action) else { return }
        if case .secondFactorRequired(let challenge) = result {
            secondFactor = challenge
        } else {
            secondFactor = nil
        }
    }

    /// Completes the sign-in that waits for its second factor.
    public func answer(_ factor: FactorAnswer) async {
        guard let challenge = secondFactor else { return }
        let session = await perform { client throws(AuthError) in
            try await client.answer(challenge, with: factor)
        }
        // The user can correct a wrong code, but cannot use an expired ticket.
        if session != nil || error?.refusal?.code == "INVALID_TICKET" { secondFactor = nil }
    }

    /// Gives up the sign-in that waits for its second factor.
    public func cancelSecondFactor() { secondFactor = nil }

    /// Runs an operation of the client, and sets ``error`` if it fails.
    ///
    /// - Returns: nil if the operation has failed.
    @discardableResult
    public func perform<Value>(
        _ action: (LatchkeyClient) async throws(AuthError) -> Value
    ) async -> Value? {
        actionCount += 1
        defer { actionCount -= 1 }
        error = nil
        do throws(AuthError) {
            return try await action(client)
        } catch {
            // An action that the user cancelled or replaced is not an error.
            if error != .cancelled, error != .superseded { self.error = error }
            return nil
        }
    }

    /// Ends the session, on this device even if the server cannot be reached.
    @discardableResult
    public func signOut(_ scope: SignOutScope = .session) async -> SignOutResult {
        secondFactor = nil
        return await client.signOut(scope)
    }

    private func take(_ event: SessionEvent) {
        switch event {
        // The client is about to read the store, or could not read it.
        case .unknown: break
        case .signedIn(let session), .refreshed(let session):
            phase = .signedIn(session)
            if case .signedIn = event { secondFactor = nil }
        case .signedOut(.server(let code)):
            phase = .needsAttention(.signInAgain(code: code))
            isStored = true
        case .signedOut:
            phase = .signedOut
            isStored = true
        case .storeFailed: isStored = false
        case .stored: isStored = true
        }
    }
}
