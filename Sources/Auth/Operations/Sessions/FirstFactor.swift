internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// What a sign-in leads to.
package enum SignInResult: Sendable {
    case session(SessionTokens)
    /// The account has a second factor: `CompleteSignIn` opens the session.
    case secondFactorRequired(SecondFactorTicket)

    /// For contracts that cannot ask for a second factor.
    package var tokens: SessionTokens {
        get throws(AuthError) {
            guard case .session(let tokens) = self else { throw .secondFactor(.required) }
            return tokens
        }
    }
}

/// The right to give the second factor. It cannot be printed.
package struct SecondFactorTicket: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String
    package let lifetime: Span

    fileprivate init(_ text: String, lifetime: Span) {
        self.text = text
        self.lifetime = lifetime
    }

    /// For the response body.
    package func reveal() -> String { text }

    package var description: String { "<second factor ticket>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a proven first factor opens, and its writes.
enum FirstFactor {
    case session(SessionOpening)
    case ticket(SecondFactorTicket, Write)

    var writes: [Write] {
        switch self {
        case .session(let session): session.writes
        case .ticket(_, let write): [write]
        }
    }

    var session: SessionID? {
        if case .session(let session) = self { session.family.id } else { nil }
    }

    /// For the audit log.
    var event: AuditEvent {
        switch self {
        case .session: .signedIn
        case .ticket: .secondFactorRequired
        }
    }

    func result(
        for user: User, _ signer: AccessTokenSigner, at now: Instant
    ) throws(AuthError) -> SignInResult {
        switch self {
        case .session(let session): .session(try session.tokens(for: user, signer, at: now))
        case .ticket(let ticket, _): .secondFactorRequired(ticket)
        }
    }
}

extension AuthServices {
    /// Every sign-in ends here when its first factor is proven, whatever that is.
    ///
    /// - Parameter others: the account's active sessions, most recently used first.
    func firstFactor(
        of user: User, from origin: SessionOrigin, others: [SessionFamily], at now: Instant
    ) throws(AuthError) -> FirstFactor {
        if let permit = SessionPermit(firstFactorOf: user) {
            return .session(
                try SessionOpening(self, for: permit, from: origin, others: others, at: now))
        }
        guard let policy = policy.secondFactors else { throw .secondFactor(.required) }
        let (text, link) = AccountLink.make(for: user.id, random: random)
        let pending = PendingSignIn(
            epoch: user.epoch, provider: origin.provider, deviceName: origin.deviceName,
            deviceSystem: origin.deviceSystem)
        let row = pending.item(link, expiresAt: now + policy.ticketLifetime)
        return .ticket(
            SecondFactorTicket(text, lifetime: policy.ticketLifetime),
            .put(row, when: [.absent]))
    }
}
