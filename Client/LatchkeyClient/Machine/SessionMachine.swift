/// The session of a client and the rules for it, without tasks, clocks, network and store.
///
/// Its methods are events: a call of the app, or a response of the server or the store. They add
/// actions, which the client carries out before the next event. What was known before an `await` is
/// passed as a parameter: the intent, or the revision of the tokens.
///
/// While there is a session, no removal is pending.
package struct SessionMachine: Sendable {
    package typealias Outcome = Result<LiveSession, AuthError>

    package enum Action: Sendable {
        case emit(SessionEvent)
        /// Begin the refresh that spends these tokens.
        case refresh(Revision)
        case cancel(Revision)
        case resume(waiter: Int, Outcome)
        /// Repeat a refresh until its outcome is known, for about a minute.
        case settle(Revision)
        case stopSettling
        /// Repeat failed writes until everything is stored.
        case storeAgain
    }

    private(set) var state = SessionState.unknown
    /// The number of sign-ins and sign-outs of the user. A sign-in that began before the latest one
    /// is superseded.
    package private(set) var intent = 0
    private(set) var removal = Removal()
    /// The refreshes under way, and the calls that wait for them, both in order.
    private var flights: [(spent: Revision, waiters: [Int])] = []
    private var actions: [Action] = []
    private let margin: Duration
    private let isResendSafe: Bool

    package init(_ contract: ClientContract) {
        margin = contract.margin
        isResendSafe = contract.refresh.isResendSafe
    }

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    package var live: LiveSession? { state.live }

    /// The current session, if it has these tokens.
    func present(_ revision: Revision) -> LiveSession? {
        live.flatMap { $0.record.revision == revision ? $0 : nil }
    }

    // MARK: Transitions

    private mutating func update(_ revision: Revision, _ change: (inout LiveSession) -> Void) {
        guard var live = present(revision) else { return }
        change(&live)
        state = .signedIn(live)
    }

    /// Sets a new session, or new tokens of the session.
    private mutating func hold(_ new: LiveSession) {
        let wasStored = unsaved == nil
        actions.append(.stopSettling)
        state = .signedIn(new)
        if new.storage != .stored {
            if wasStored { actions.append(.emit(.storeFailed)) }
            actions.append(.storeAgain)
        } else if !wasStored {
            actions.append(.emit(.stored))
        }
        if new.record.awaitsRefresh == true { doubt(new.record.revision) }
    }

    private mutating func end(_ cause: SignOutCause, _ outcome: Outcome) {
        actions.append(.stopSettling)
        supersede(outcome)
        state = .signedOut(cause)
        actions.append(.emit(.signedOut(cause)))
    }

    /// Ends the refreshes of a session that has ended or was replaced.
    private mutating func supersede(_ outcome: Outcome) {
        for flight in flights {
            actions.append(.cancel(flight.spent))
            actions += flight.waiters.map { .resume(waiter: $0, outcome) }
        }
        flights = []
    }
}

// MARK: - The store

extension SessionMachine {
    /// Whether a record that was read from the store may be used. It must be ignored if the user
    /// signed out during the read, or before the store could be read.
    ///
    /// - Parameter intent: the value before the read.
    func isUpToDate(_ intent: Int) -> Bool { intent == self.intent && !removal.isAny }

    /// The store was read. Another process may have signed in or out, or refreshed.
    package mutating func loaded(_ record: StoredRecord, since intent: Int) {
        guard isUpToDate(intent) else { return }
        if let stored = record.session, removal.covers(stored.revision) { return }
        // Another process has signed in, or out.
        removal = Removal()
        adopt(record.session)
    }

    private mutating func adopt(_ stored: SessionRecord?) {
        switch (state, stored) {
        case (.signedIn(let live), let stored?) where stored.id == live.record.id:
            if stored.generation > live.record.generation {
                hold(LiveSession(record: stored))
                actions.append(.emit(.refreshed(stored.session)))
            } else if stored.revision == live.record.revision, stored.awaitsRefresh == true,
                live.storage == .stored
            {
                update(stored.revision) { $0.record.awaitsRefresh = true }
                doubt(stored.revision)
            }
        // This client's session is the latest, although it is not stored yet.
        case (.signedIn(let live), _) where live.storage == .unsavedSignIn: return
        case (_, let stored?):
            supersede(.failure(.superseded))
            hold(LiveSession(record: stored))
            actions.append(.emit(.signedIn(stored.session)))
        case (.signedIn, nil): end(.elsewhere, .failure(.signedOut))
        case (.unknown, nil): end(.none, .failure(.signedOut))
        case (.signedOut, nil): return
        }
    }

    /// The session that has not been stored yet.
    var unsaved: LiveSession? { live.flatMap { $0.storage == .stored ? nil : $0 } }

    /// A later attempt to store the session has succeeded.
    mutating func stored(_ revision: Revision, _ written: Written) {
        guard present(revision) != nil else { return }
        update(revision) { $0.storage = .stored }
        actions.append(.emit(.stored))
        if !written.isChanged { adopt(written.record.session) }
    }

    /// The ended sessions were removed from the store.
    mutating func removed() { removal = Removal() }
}

// MARK: - Sign-in and sign-out

extension SessionMachine {
    /// A new session with these tokens. nil if the user has signed in or out since.
    ///
    /// - Parameters:
    ///   - old: the session that continues, because its former tokens were revoked.
    ///   - intent: the value of `intent` when the user made the request.
    func session(
        with tokens: SessionAnswer, id: String, continuing old: String?, since intent: Int
    ) -> LiveSession? {
        guard intent == self.intent else { return nil }
        var record = SessionRecord(tokens, id: id)
        if let old {
            guard let live, live.record.id == old else { return nil }
            record = live.record
            record.restart(with: tokens)
        }
        return LiveSession(record: record, receivedAt: tokens.sentAt)
    }

    /// The session begins, stored or not.
    ///
    /// - Returns: false if the user has signed out while it was being stored.
    mutating func signedIn(_ new: LiveSession, since intent: Int) -> Bool {
        guard intent == self.intent else {
            removal.generations[new.record.id] = .max
            return false
        }
        self.intent += 1
        removal = Removal()
        let continues = live?.record.id == new.record.id
        supersede(continues ? .success(new) : .failure(.superseded))
        hold(new)
        let session = new.record.session
        actions.append(.emit(continues ? .refreshed(session) : .signedIn(session)))
        return true
    }

    /// The session ends here at once, and cannot be brought back by a request or a read that began
    /// earlier.
    ///
    /// - Parameter id: the session to end; nil ends any session.
    /// - Returns: the session that has ended.
    @discardableResult
    package mutating func signOut(only id: String? = nil) -> LiveSession? {
        let live = live
        if let id, live?.record.id != id { return nil }
        intent += 1
        if let live {
            removal = Removal(live, upTo: .max)
        } else if state.isUnknown {
            removal.isAny = true
        } else {
            return nil
        }
        end(.user, .failure(.superseded))
        return live
    }

    /// A response has a new access token, or changes the user. The refresh token is unchanged.
    mutating func changed(in id: String?, _ change: (inout LiveSession) -> Void) -> LiveSession? {
        guard let old = live, old.record.id == id else { return nil }
        update(old.record.revision, change)
        if let session = live?.record.session, session.user != old.record.user {
            actions.append(.emit(.refreshed(session)))
        }
        return live
    }
}

// MARK: - Tokens

extension SessionMachine {
    /// Whether a call must refresh these tokens first.
    func needsRefresh(_ live: LiveSession, for minimumLife: Duration, at moment: Moment) -> Bool {
        let wanted = max(minimumLife, min(margin, .seconds(live.record.lifetime / 5)))
        if live.life(at: moment) > wanted, live.doubt == .none { return false }
        return !live.isUsable(for: minimumLife, at: moment)
            || moment.uptime >= live.precautionPause
    }

    /// A refresh has failed. Refreshing early is only a precaution: a token that is still valid is
    /// used.
    mutating func tokens(
        despite error: AuthError, in id: String, for minimumLife: Duration, at moment: Moment
    ) -> Outcome {
        guard error.isTransient, error != .cancelled, let live, live.record.id == id,
            live.isUsable(for: minimumLife, at: moment)
        else { return .failure(error) }
        update(live.record.revision) { $0.precautionPause = moment.uptime + .seconds(10) }
        return .success(live)
    }

    /// The server has refused the access token.
    mutating func reject(_ revision: Revision) { update(revision) { $0.isRejected = true } }
}

// MARK: - Refreshes

extension SessionMachine {
    /// A call waits for the refresh that spends these tokens. All such calls share it.
    package mutating func join(_ spent: Revision, waiter: Int) {
        if let index = flights.firstIndex(where: { $0.spent == spent }) {
            flights[index].waiters.append(waiter)
        } else {
            flights.append((spent, [waiter]))
            actions.append(.refresh(spent))
        }
    }

    /// A call is cancelled, which affects neither the refresh nor the other calls.
    package mutating func leave(waiter: Int) {
        for index in flights.indices {
            guard let place = flights[index].waiters.firstIndex(of: waiter) else { continue }
            flights[index].waiters.remove(at: place)
            actions.append(.resume(waiter: waiter, .failure(.cancelled)))
        }
    }

    /// A refresh has ended, and was not cancelled.
    package mutating func landed(_ spent: Revision, _ outcome: Outcome) {
        guard let index = flights.firstIndex(where: { $0.spent == spent }) else { return }
        actions += flights.remove(at: index).waiters.map { .resume(waiter: $0, outcome) }
    }

    /// Why no refresh may be sent now.
    func pause(_ spent: Revision, at uptime: Duration) -> AuthError? {
        guard let (until, error) = present(spent)?.refreshPause, until > uptime else { return nil }
        return error.after(until - uptime)
    }

    mutating func pauseRefreshes(_ spent: Revision, until: Duration, _ error: AuthError) {
        update(spent) { $0.refreshPause = (until, error) }
    }

    /// The error if a refresh must not be sent without the lock; nil if it may be sent. If the
    /// server accepts a repeated token, the lock only saves requests.
    func refusal(withoutLock error: StoreError) -> AuthError? {
        guard !isResendSafe || error == .locked else { return nil }
        return error == .busy ? .unavailable(retryAfter: nil) : AuthError(error)
    }

    enum Beginning {
        /// nil if nothing can renew the tokens.
        case send(refreshToken: String?)
        case finish(Outcome)
    }

    /// The first step of a refresh, after the store was read.
    func beginning(_ spent: Revision) -> Beginning {
        guard let live = present(spent) else { return .finish(replacement(of: spent)) }
        return .send(refreshToken: live.record.refreshToken)
    }

    /// The outcome of a refresh whose tokens were replaced in the meantime.
    private func replacement(of spent: Revision) -> Outcome {
        guard let live else { return .failure(.signedOut) }
        let now = live.record.revision
        return now.id == spent.id && now != spent ? .success(live) : .failure(.superseded)
    }

    /// The change that must be stored before the response to a refresh takes effect.
    func change(_ spent: Revision, _ verdict: RefreshVerdict) -> StoreChange? {
        guard let old = present(spent) else { return nil }
        switch verdict {
        case .failed: return nil
        case .ended: return .remove(Removal(old))
        case .renewed(let answer): return .put(old.renewed(with: answer).record, over: old.storage)
        }
    }

    /// Applies the response to a refresh.
    ///
    /// - Parameter written: nil if nothing could be stored.
    mutating func concluded(
        _ spent: Revision, _ verdict: RefreshVerdict, _ written: Written?
    ) -> Outcome {
        // A sign-out during the write takes precedence, although it did not wait for the store.
        guard let old = present(spent) else { return replacement(of: spent) }
        switch verdict {
        case .failed(let error, _, _): return .failure(error)
        case .renewed(let answer) where written?.isChanged != false:
            var new = old.renewed(with: answer)
            if written == nil {
                new.storage = old.storage == .unsavedSignIn ? .unsavedSignIn : .unsavedRefresh
            }
            hold(new)
            actions.append(.emit(.refreshed(new.record.session)))
            return .success(new)
        case .ended(let code) where written?.record.session == nil:
            if written == nil {
                removal = Removal(old)
                actions.append(.storeAgain)
            }
            end(.server(code: code), .failure(.signInAgain(code: code)))
            return .failure(.signInAgain(code: code))
        // Another process has signed in or out, or has newer tokens.
        case .renewed, .ended:
            adopt(written?.record.session)
            return replacement(of: spent)
        }
    }
}

// MARK: - Lost answers

// A refresh is in doubt if it was sent and its answer is lost: the server may have replaced the
// refresh token. The server repeats its answer for 60 seconds (`REFRESH_GRACE_SECONDS`). Later it
// treats the same token as stolen, and ends the session (RFC 9700 section 4.14.2). Therefore the
// doubt is stored before a refresh is sent, so that processes that start later or share the store
// also repeat the refresh.
//
// The user has to sign in again in these cases, which the server cannot tell from a stolen token:
// - No process reaches the server within the 60 seconds.
// - The process is killed, and no other one starts or calls `restore()` within the 60 seconds.
// - The process is killed while the store cannot be written, before the refresh or after it.
extension SessionMachine {
    /// Whether the stored record must be marked (`awaitsRefresh`) before its refresh token is sent.
    func storesDoubt(_ spent: Revision) -> Bool {
        guard isResendSafe, let live = present(spent) else { return false }
        return live.storage == .stored && live.record.awaitsRefresh != true
    }

    mutating func doubtStored(_ spent: Revision, _ written: Written, since intent: Int) {
        if written.isChanged {
            update(spent) { $0.record.awaitsRefresh = true }
        } else {
            loaded(written.record, since: intent)
        }
    }

    /// Records that the server may have replaced these tokens.
    package mutating func doubt(_ revision: Revision) {
        guard isResendSafe, let live = present(revision), live.doubt != .settling else { return }
        update(revision) { $0.doubt = .settling }
        actions.append(.settle(revision))
    }

    /// The refresh was repeated without success. If another answer is lost later, the repetitions
    /// begin again, because only the later request may have reached the server.
    mutating func settlingEnded(_ revision: Revision) {
        update(revision) { $0.doubt = .unsettled }
    }
}
