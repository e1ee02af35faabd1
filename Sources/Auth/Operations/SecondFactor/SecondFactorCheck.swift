internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A judged answer, and the write that must precede the response.
struct SecondFactorCheck {
    /// nil if the answer is wrong.
    let proof: SecondFactorProof?
    /// The row as it was read.
    private let item: Item
    /// The factor after the answer was judged.
    private var factor: SecondFactor
    private let user: User
    private let answer: SecondFactorAnswer

    /// - Parameter item: the row of the factor, in the state that the caller has checked.
    init(
        _ auth: AuthServices, _ answer: SecondFactorAnswer, _ item: Item,
        _ factor: SecondFactor, of user: User, at now: Instant
    ) throws(AuthError) {
        let limit = auth.policy.limits.first {
            $0.operation == .secondFactor && $0.subject == .account
        }
        let password = try auth.secondFactors.open(factor, of: user.id)
        var judged = factor
        let verdict = judged.judge(answer, password, of: user.id, limit: limit, at: now)
        if verdict == .limited, let limit {
            let window = RateLimitWindow(limit, at: now)
            throw .rateLimited(retryAfterSeconds: window.retryAfterSeconds(at: now))
        }
        if verdict == .locked { throw .secondFactor(.recoveryCodeRequired) }
        proof = verdict == .accepted ? SecondFactorProof(user: user.id, answer) : nil
        self.item = item
        // The row is written anyway, so its secret is re-encrypted with the current master key.
        self.factor = try auth.secondFactors.renewed(judged, of: user.id)
        self.user = user
        self.answer = answer
    }

    /// Whether the answer has stopped an administrator's removal (`LostSecondFactor`).
    var stopsRemoval: Bool { proof != nil && item.attributes["removableFrom"] != nil }

    var usedRecoveryCode: Bool {
        if case .recoveryCode = answer { proof != nil } else { false }
    }

    /// The method's name in the audit log.
    var method: String {
        switch answer {
        case .code: "authenticator app"
        case .recoveryCode: "recovery code"
        }
    }

    /// Writes the row, with a right answer marked as used or a wrong one counted. If two requests
    /// use the same code, one succeeds.
    func write(_ change: (inout SecondFactor) -> Void = { _ in }) -> Write {
        var next = factor
        change(&next)
        return SecondFactorRecord.replacing(item, of: user.id, with: next, expiresAt: expiry(next))
    }

    /// Deletes the row, if it is unchanged.
    var removal: Write { .delete(item.key, when: SecondFactorRecord.unchanged(item)) }

    private func expiry(_ factor: SecondFactor) -> Instant? {
        factor.state == .enabled ? nil : item.expiresAt
    }

    /// Counts a wrong answer. Returns false if another request changed the row first. Then the
    /// answer was not counted, and the response must not reveal the verdict.
    ///
    /// - Parameter trail: the chain of attempts on the account.
    func recordFailure(
        _ auth: AuthServices, on trail: AuditTrail, session: SessionID? = nil, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) -> Bool {
        var audit = trail
        audit.record(.secondFactorFailed, session: session, caller, detail: method, at: now)
        let values = [
            "count": "\(factor.consecutiveFailures)",
            "limit": "\(SecondFactor.consecutiveFailuresMax)",
        ]
        let notice =
            factor.reportsFailure && auth.hasMail
            ? try auth.notice(.wrongCodes, to: user, saying: values, caller, at: now) : .none
        guard try auth.commit([write()] + notice.writes, &audit) else { return false }
        notice.deliver()
        return true
    }
}

/// Evidence that a user has presented the second factor of an account. Only `SecondFactorCheck` can
/// create it.
struct SecondFactorProof {
    let user: UserID
    let method: ProofMethod

    fileprivate init(user: UserID, _ answer: SecondFactorAnswer) {
        self.user = user
        switch answer {
        case .code: method = .authenticatorApp
        case .recoveryCode: method = .recoveryCode
        }
    }
}

extension AuthServices {
    var secondFactorPolicy: SecondFactorPolicy {
        get throws(AuthError) {
            guard let policy = policy.secondFactors else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }
}

/// A signed-in user and the row of the second factor, from one read.
struct FactorOwner {
    let principal: Principal
    let item: Item?
    let factor: SecondFactor?
    let items: ReadItems

    /// The chain of actions on the account.
    func audit(_ auth: AuthServices) -> AuditTrail {
        auth.audit(.account(principal.user.id), principal.auditHead)
    }

    /// - Parameter keys: further keys that the operation reads.
    init(
        _ auth: AuthServices, _ caller: Caller, for operation: AuthOperation,
        reading keys: (UserID) -> [ItemKey] = { _ in [] }
    ) throws(AuthError) {
        let (principal, items) = try auth.authenticate.open(caller, for: operation) { user in
            [StoreLayout.secondFactor(of: user)] + keys(user)
        }
        self.items = items
        self.principal = principal
        item = items[StoreLayout.secondFactor(of: principal.user.id)]
        factor = try item.map { item throws(AuthError) in
            try decoded(SecondFactorRecord.factor(item))
        }
    }

    /// Judges the answer to an enabled factor. A wrong answer is counted before this throws.
    func check(
        _ auth: AuthServices, _ answer: SecondFactorAnswer, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> (SecondFactorCheck, SecondFactorProof) {
        guard let item, let factor, factor.state == .enabled else {
            throw .secondFactor(.notEnabled)
        }
        return try check(auth, answer, item, factor, caller, at: now)
    }

    /// Judges the first code of an app that this session has enrolled.
    func confirm(
        _ auth: AuthServices, _ code: String, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> SecondFactorCheck {
        guard let item, let factor, factor.state == .pending(principal.session.id) else {
            throw .secondFactor(factor?.state == .enabled ? .alreadyEnabled : .notEnrolled)
        }
        return try check(auth, .code(typed: code), item, factor, caller, at: now).0
    }

    private func check(
        _ auth: AuthServices, _ answer: SecondFactorAnswer, _ item: Item, _ factor: SecondFactor,
        _ caller: Caller, at now: Instant
    ) throws(AuthError) -> (SecondFactorCheck, SecondFactorProof) {
        let check = try SecondFactorCheck(
            auth, answer, item, factor, of: principal.user, at: now)
        if let proof = check.proof { return (check, proof) }
        guard
            try check.recordFailure(
                auth, on: auth.audit(.attempts(on: principal.user.id)),
                session: principal.session.id, caller, at: now)
        else { throw .unavailable(.contention) }
        throw .secondFactor(.wrongCode)
    }
}
