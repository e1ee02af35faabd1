package import AuthDomain
package import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// The events that an operation adds to one chain of the audit log.
///
///     let opening = try auth.open(…, reading: [profile, AuditChain.account(user).headKey])
///     var audit = try auth.audit(.account(user), opening.items)
///     audit.record(.passwordReset, caller, at: now)
///     guard try auth.commit(closing, &audit) else { … }
package struct AuditTrail: Sendable {
    /// The head of the chain, as far as the operation knows it.
    package enum Head: Equatable, Sendable {
        /// `commit` reads it, in a separate store call.
        case unread
        /// The chain's head; nil if the chain has no event yet.
        case read(AuditHead?)
    }

    package let chain: AuditChain
    fileprivate private(set) var entries: [AuditEntry] = []
    fileprivate var head: Head
    private let newID: @Sendable () -> UUIDText

    fileprivate init(
        _ chain: AuditChain, _ head: Head, newID: @escaping @Sendable () -> UUIDText
    ) {
        self.chain = chain
        self.head = head
        self.newID = newID
    }

    /// - Parameters:
    ///   - user: the account, if the chain does not belong to one.
    ///   - detail: why the action failed, or which method was used: a literal, or the name of a
    ///     case.
    package mutating func record(
        _ event: AuditEvent, user: UserID? = nil, session: SessionID? = nil, _ caller: Caller,
        detail: String? = nil, by maker: String? = nil, because reason: String? = nil,
        at now: Instant
    ) {
        entries.append(
            AuditEntry(
                id: newID(), event, user: chain.user ?? user, session: session,
                address: caller.address, userAgent: caller.userAgent, detail: detail, maker: maker,
                reason: reason, at: now))
    }

    /// The events, linked to the head of the chain, and the writes of them and the new head.
    fileprivate func linked(_ key: AuditKeys) -> (records: [AuditRecord], writes: [Write]) {
        guard case .read(let first) = head else { return ([], []) }
        var records: [AuditRecord] = []
        for entry in entries {
            records.append(
                AuditRecord(entry, after: records.last?.head ?? first, of: chain, key))
        }
        var writes = records.map { $0.write(of: chain) }
        if let last = records.last { writes.append(last.head.replacing(first, of: chain)) }
        return (records, writes)
    }

    fileprivate mutating func forgetEntries() { entries = [] }

    /// A registration that starts a session is also a sign-in.
    fileprivate var signInCount: Int {
        let names = [AuditEvent.signedIn, .accountCreated].map(\.rawValue)
        return entries.count { entry in
            entry.session != nil && names.contains { $0.isSame(as: entry.event) }
        }
    }
}

extension AuditChain {
    static func network(of caller: Caller) -> AuditChain {
        .network(caller.address.map { NetworkPrefix(of: $0).text })
    }
}

extension AuthServices {
    /// The chain of attempts with an e-mail address that has no account.
    package func auditChain(ofEmail address: EmailAddress) -> AuditChain { .email(address) }

    /// The chain of attempts from a network address, without a known account.
    package func auditChain(ofAddress address: String) -> AuditChain {
        .network(NetworkPrefix(of: address).text)
    }

    package func audit(_ chain: AuditChain, _ head: AuditTrail.Head = .unread) -> AuditTrail {
        let random = random
        return AuditTrail(chain, head) { UUIDText(random: random) }
    }

    /// - Parameter items: must include `chain.headKey`.
    func audit(_ chain: AuditChain, _ items: ReadItems) throws(AuthError) -> AuditTrail {
        audit(chain, try auditHead(items[chain.headKey]))
    }

    func auditHead(_ item: Item?) throws(AuthError) -> AuditTrail.Head {
        .read(try decoded(item.map(AuditHead.init(_:))))
    }

    /// Commits the writes together with the events; false if one of their conditions does not hold.
    ///
    /// If only the head of a chain has changed, the events are linked to the new head and the
    /// transaction is repeated: each lost race means that another request has recorded an event.
    func commit(_ writes: [Write], _ trails: inout [AuditTrail]) throws(AuthError) -> Bool {
        let used = trails.indices.filter { !trails[$0].entries.isEmpty }
        let ended = EndedSessions(in: writes, self)
        let writes = writes + ended.writes + endedRows(in: writes)
        guard !used.isEmpty else {
            if writes.isEmpty { return true }
            guard try store.attempt(writes) else { return false }
            ended.tellClients()
            return true
        }
        let key = try auditKeys
        if used.contains(where: { trails[$0].head == .unread }) {
            _ = try readHeads(of: used, &trails)
        }
        for _ in attempts {
            var closing = writes
            var heads: [AuditHead?] = []
            var subscribed = SubscribedEvents(webhooks, at: clock.now())
            for index in used {
                let (records, events) = trails[index].linked(key)
                closing += events
                heads.append(records.last?.head)
                subscribed.add(records, of: trails[index].chain)
            }
            let all = closing + subscribed.writes
            if try store.attempt(all) {
                subscribed.sendAfterReply(self)
                if let activity {
                    let signIns = used.reduce(0) { $0 + trails[$1].signInCount }
                    if signIns > 0 {
                        activity.add(ActivityCounts(signIns: Int64(signIns)), at: clock.now())
                    }
                }
                for (index, head) in zip(used, heads) {
                    let act = trails[index].entries.first { $0.maker != nil }
                    if let act { logFacts.values.actForOthers = act }
                    trails[index].head = .read(head)
                    trails[index].forgetEntries()
                }
                ended.tellClients()
                return true
            }
            guard try readHeads(of: used, &trails) else { return false }
        }
        throw .unavailable(.contention)
    }

    func commit(_ writes: [Write], _ trail: inout AuditTrail) throws(AuthError) -> Bool {
        var trails = [trail]
        let isDone = try commit(writes, &trails)
        trail = trails[0]
        return isDone
    }

    /// The chain of attempts from the caller's network address, without a known account.
    func networkAudit(_ caller: Caller) -> AuditTrail { audit(.network(of: caller)) }

    /// Records a refused attempt, in a separate write.
    func recordFailure(
        _ event: AuditEvent, on trail: AuditTrail, session: SessionID? = nil, _ caller: Caller,
        detail: String
    ) throws(AuthError) {
        var trail = trail
        trail.record(event, session: session, caller, detail: detail, at: clock.now())
        guard try commit([], &trail) else { throw .unavailable(.contention) }
    }

    /// Refuses a disabled account whose owner, or a thief, has a valid proof.
    ///
    /// - Parameter attempts: the chain of attempts on the account.
    func refuseDisabled(
        _ user: User, _ event: AuditEvent,
        on attempts: @autoclosure () throws(AuthError) -> AuditTrail, _ caller: Caller
    ) throws(AuthError) {
        guard user.isDisabled else { return }
        try recordFailure(event, on: try attempts(), caller, detail: "accountDisabled")
        throw .account(.disabled)
    }

    /// - Returns: whether one of the heads has changed.
    private func readHeads(
        of used: [Int], _ trails: inout [AuditTrail]
    ) throws(AuthError) -> Bool {
        let items = try store.get(used.map { trails[$0].chain.headKey })
        var hasChanged = false
        for index in used {
            let head = try auditHead(items[trails[index].chain.headKey])
            hasChanged = hasChanged || head != trails[index].head
            trails[index].head = head
        }
        return hasChanged
    }
}
