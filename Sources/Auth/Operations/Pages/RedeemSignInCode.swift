package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Gives a session that began on the pages to the app that sent the user there (OAuth 2.1 sections
/// 4.1 and 7.5: by a code that is valid once and bound to a challenge of the app).
///
/// No token of the session has left the server before, so its first refresh token is still unused,
/// and the app gets this token.
package struct RedeemSignInCode: Sendable {
    /// The length of a code verifier (RFC 7636 section 4.1).
    private static let verifierBytes = 43...128

    let auth: AuthServices

    package func callAsFunction(
        _ code: String, verifier: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(for: .redeemSignInCode, caller)

        // 1. Open: count, and find the code, its session and its user.
        let place = CodePlace(parsing: code)
        let keys = place.map { [$0.link.key(.signInCode)] + $0.sessionKeys } ?? []
        let opening = try auth.open(
            .redeemSignInCode, counting: [(.address, caller.address)], reading: keys,
            provenBy: caller.key)
        try opening.admit()
        guard let place, Self.verifierBytes.contains(verifier.utf8.count) else {
            throw .signIn(.codeInvalid)
        }

        var items = opening.items
        for attempt in auth.attempts {
            if attempt > 0 { items = try auth.store.get(keys) }
            // 2. Judge code, challenge and session.
            let now = auth.clock.now()
            let (row, session, user) = try handedOver(items, place, verifier, at: now)

            // 3. Close: the code is used, and the session bound to the app's key if it proves one.
            var next = session
            if let key = try auth.keyToBind(caller) {
                next.clientKey = key
                next.boundGeneration = next.generation
            }
            next.writer = auth.random.bytes(8)
            let added = try signer.claims(for: user, next, .signIn)
            let writes =
                added.checks + [
                    .delete(row.key, when: [.present]),
                    .put(SessionRecord.item(next), when: SessionRecord.unchanged(session)),
                ]
            if try auth.store.attempt(writes) {
                return SessionTokens(
                    access: try signer.issue(to: user, next, adding: added, at: now),
                    refresh: try auth.refreshTokens.token(of: next), session: next.id, user: user)
            }
        }
        throw .unavailable(.contention)
    }

    /// The row of the code, its session and its user. A wrong verifier does not use up the code:
    /// otherwise anyone who has seen the code could prevent the sign-in.
    private func handedOver(
        _ items: ReadItems, _ place: CodePlace, _ verifier: String, at now: Instant
    ) throws(AuthError) -> (row: Item, session: Session, user: User) {
        guard let row = items[place.link.key(.signInCode)] else { throw .signIn(.codeInvalid) }
        let pending = try decoded(SignInCode(row))
        guard pending.isProven(by: verifier), pending.session == place.session else {
            throw .signIn(.codeInvalid)
        }
        let state = try SessionState(items, place.session, of: place.link.user)
        switch state.end(at: now) {
        case nil: break
        case .accountDisabled: throw .account(.disabled)
        case .deleted, .idle, .tooOld, .signedOutEverywhere, .accountDeleted:
            throw .signIn(.codeInvalid)
        }
        guard let session = state.session, let user = state.user, pending.epoch == user.epoch
        else { throw .signIn(.codeInvalid) }
        return (row, session, user)
    }
}

/// A code: where its row is, and the session that it names.
struct CodePlace {
    let link: AccountLink
    let session: SessionID

    var sessionKeys: [ItemKey] { SessionState.keys(session, of: link.user) }

    init?(parsing code: String) {
        let parts = code.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let link = AccountLink(parsing: String(parts[0])),
            let session = SessionID(parsing: String(parts[1]))
        else { return nil }
        self.link = link
        self.session = session
    }
}

extension AuthServices {
    /// How long a code is valid: long enough for a redirect and a request.
    private static let signInCodeLifetime = Span.minutes(1)

    /// A code for the session, which must not have been given to another client.
    ///
    /// The code is written after the session, in a separate write, because any sign-in method may
    /// have opened the session.
    ///
    /// - Parameter challenge: the SHA-256 hash of the app's verifier.
    package func signInCode(
        for tokens: SessionTokens, challenge: [UInt8]
    ) throws(AuthError) -> String {
        let (text, link) = AccountLink.make(for: tokens.user.id, random: random)
        let pending = SignInCode(
            session: tokens.session, epoch: tokens.user.epoch, challenge: challenge)
        let row = pending.item(link, expiresAt: clock.now() + Self.signInCodeLifetime)
        try store.write([.put(row, when: [.absent])])
        return "\(text).\(tokens.session.text)"
    }

    package var redeemSignInCode: RedeemSignInCode { RedeemSignInCode(auth: self) }
}

extension AuthOperation {
    package static let redeemSignInCode = AuthOperation(
        "redeemSignInCode", servedBy: "ui", counting: [.address])
}
