package import AuthDomain
internal import AuthRecords
package import JSON
internal import KeyValueStore
internal import Time

/// Verifies an access token and that its session is active.
///
/// Session and user are read each time, in one call, so that sign-out, revocation and disabling
/// take effect at once and not when the token expires.
package struct Authenticate: Sendable {
    let auth: AuthServices

    /// - Parameter operation: the operation whose rate limits are counted in the same call.
    package func callAsFunction(
        _ caller: Caller, for operation: AuthOperation
    ) throws(AuthError) -> Principal {
        try open(caller, for: operation) { _ in [] }.principal
    }

    /// The claims of the token, without checking that its session is active.
    func claims(_ caller: Caller) throws(AuthError) -> AccessClaims {
        try auth.claims(of: caller)
    }

    /// Authenticates like `callAsFunction`, with further keys in the same read.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt. A repeated attempt is not counted again.
    ///   - use: a credential that is valid only a few times.
    ///   - mail: how the request counts towards the mail budget.
    ///   - keys: further keys, which depend on the token's user. The items must not be used before
    ///     this method returns.
    func open(
        _ caller: Caller, for operation: AuthOperation, attempt: Int = 0,
        using use: LimitedUse? = nil, mailing mail: BudgetedMail? = nil,
        reading keys: (UserID) -> [ItemKey]
    ) throws(AuthError) -> (principal: Principal, items: ReadItems) {
        let (principal, items, _) = try open(
            caller, for: operation, attempt: attempt, using: use, mailing: mail, reading: keys,
            listing: { _ in nil })
        return (principal, items)
    }

    /// Like the other `open`, but also reads the page of the user's rows that `query` selects.
    func open(
        _ caller: Caller, for operation: AuthOperation, attempt: Int = 0,
        using use: LimitedUse? = nil, mailing mail: BudgetedMail? = nil,
        reading keys: (UserID) -> [ItemKey], listing query: (UserID) -> PartitionQuery?
    ) throws(AuthError) -> (principal: Principal, items: ReadItems, page: Page?) {
        // 1. Verify signature, audience and expiry of the token.
        let claims = try claims(caller)

        // 2. Read its session and its user: both must be active and have the token's epoch.
        let subjects: [(RateLimit.Subject, String?)] = [
            (.address, caller.address), (.account, claims.user.text),
            (.session, claims.session.text),
        ]
        let headKey =
            operation.audit == .caller ? AuditChain.account(claims.user).headKey : nil
        let opening = try auth.open(
            operation,
            counting: attempt > 0
                ? [] : subjects.filter { operation.counted.contains($0.0) },
            reading: SessionState.keys(claims.session, of: claims.user)
                + [headKey].compactMap(\.self) + keys(claims.user), listing: query(claims.user),
            provenBy: attempt > 0 ? nil : caller.key, using: attempt > 0 ? nil : use,
            mailing: mail)
        let state = try SessionState(opening.items, claims.session, of: claims.user)
        switch state.end(at: auth.clock.now()) {
        case nil: break
        case .accountDisabled: throw .account(.disabled)
        case .deleted, .idle, .tooOld, .signedOutEverywhere, .accountDeleted:
            throw .accessToken(.sessionEnded)
        }
        guard let session = state.session, let user = state.user, claims.epoch == user.epoch else {
            throw .accessToken(.sessionEnded)
        }

        // 3. Check the rate limits.
        try opening.admit()
        var principal = Principal(
            user: user, session: session, mailWithheldBy: opening.withheldBy,
            addedClaims: claims.added)
        if let headKey { principal.auditHead = try auth.auditHead(opening.items[headKey]) }
        return (principal, opening.items, opening.page)
    }
}

/// An authenticated user.
package struct Principal: Equatable, Sendable {
    package let user: User
    package let session: Session
    /// The head of the user's audit chain, if the operation adds events to it.
    package fileprivate(set) var auditHead = AuditTrail.Head.unread

    /// The limit of the mail budget that is exceeded, so that this request sends no mail.
    let mailWithheldBy: MailBudget.Limit?
    /// The claims that the application has added to the access token (hook `token`).
    package let addedClaims: JSONObject

    fileprivate init(
        user: User, session: Session, mailWithheldBy: MailBudget.Limit?, addedClaims: JSONObject
    ) {
        self.user = user
        self.session = session
        self.mailWithheldBy = mailWithheldBy
        self.addedClaims = addedClaims
    }
}

extension AuthServices {
    package var authenticate: Authenticate { Authenticate(auth: self) }
}

extension AuthOperation {
    /// Returns a signed-in user's account.
    package static let me = AuthOperation("me")
}
