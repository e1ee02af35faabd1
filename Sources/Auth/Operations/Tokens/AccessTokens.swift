package import AuthDomain
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
package import Time

/// Signs and verifies our own access tokens.
package struct AccessTokens: Sendable {
    /// Tokens expire exactly at `exp`.
    package static let leeway = Span.zero
    /// A token may have been issued by a machine whose clock is ahead: otherwise the next
    /// function would refuse a user who has just signed in.
    package static let issueLeeway = Span.minutes(1)

    let auth: AuthServices

    /// Get the signer before any change: without a key, the operation could not respond.
    package func signer(
        for operation: AuthOperation, _ caller: Caller
    ) throws(AuthError) -> AccessTokenSigner {
        AccessTokenSigner(
            auth, try auth.signingKeys.signingKey(at: auth.clock.now()), operation, caller)
    }

    /// All checks that need no session.
    package func verify(_ text: String, at now: Instant) throws(AuthError) -> AccessClaims {
        let policy = auth.policy.accessTokens
        var expectations = TokenExpectations(
            issuers: [policy.claim(.issuer) == nil ? nil : auth.issuer],
            audiences: [policy.claim(.audience) == nil ? nil : policy.audience],
            types: [policy.type], now: now, leeway: Self.leeway)
        expectations.issueLeeway = Self.issueLeeway
        expectations.allowsIntegerSubject = policy.claim(.publicUserID)?.isSame(as: "sub") ?? false
        let token: VerifiedToken
        do {
            token = try verify(text, expectations)
        } catch let failure as TokenFailure {
            throw .accessToken(AccessTokenError(failure))
        } catch let error as AuthError {
            throw error
        } catch {
            throw .accessToken(.invalid)
        }
        guard let claims = AccessClaims(token.claims, policy) else { throw .accessToken(.invalid) }
        return claims
    }

    private func verify(
        _ text: String, _ expectations: TokenExpectations
    ) throws -> VerifiedToken {
        // Malformed tokens are refused without reading keys from the store.
        let token = try CompactToken(parsing: text)
        do {
            return try JWT.verify(token, keys: try keys(expectations.now), expecting: expectations)
        } catch TokenFailure.unknownKeyID {
            guard auth.signingKeys.forgetForUnknownKey(at: expectations.now) else {
                throw TokenFailure.unknownKeyID
            }
            return try JWT.verify(token, keys: try keys(expectations.now), expecting: expectations)
        }
    }

    private func keys(_ now: Instant) throws(AuthError) -> KeySet {
        // A key with an ID only verifies tokens with that ID, and these tokens have none.
        auth.policy.accessTokens.includesKeyID
            ? try auth.signingKeys.verificationKeys(at: now)
            : try auth.signingKeys.namelessKeys(at: now)
    }
}

package struct AccessToken: Sendable {
    private let text: String
    package let expiresAt: Instant
    package let lifetime: Span
    /// Whether the token is valid only with a proof of the client's key.
    package let isBound: Bool

    init(text: String, expiresAt: Instant, lifetime: Span, isBound: Bool) {
        self.text = text
        self.expiresAt = expiresAt
        self.lifetime = lifetime
        self.isBound = isBound
    }

    /// The token's text, for the response body.
    package func reveal() -> String { text }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "<access token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The claims of a verified access token.
package struct AccessClaims: Equatable, Sendable {
    package let user: UserID
    package let session: SessionID
    package let epoch: Int64
    /// The thumbprint of the key to which the token is bound.
    let clientKey: String?
    /// The claims that the application has added (hook `token`).
    let added: JSONObject

    init?(_ claims: JSONObject, _ policy: AccessTokenPolicy) {
        func text(_ value: ClaimValue) -> String? {
            policy.claim(value).flatMap { claims[$0]?.stringValue }
        }
        let user: String?
        let session: String?
        if let both = text(.userAndSession) {
            let parts = both.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            (user, session) = (String(parts[0]), String(parts[1]))
        } else {
            (user, session) = (text(.userID), text(.session))
        }
        guard let user = user.flatMap(UserID.init(parsing:)),
            let session = session.flatMap(SessionID.init(parsing:)),
            let epoch = policy.claim(.epoch).flatMap({ claims[$0]?.int64Value })
        else { return nil }
        // An unreadable binding must not be treated as no binding.
        let binding = claims["cnf"].map { $0["jkt"]?.stringValue }
        if case .some(nil) = binding { return nil }
        self.user = user
        self.session = session
        self.epoch = epoch
        clientKey = binding ?? nil
        added = JSONObject(
            claims.members.filter { claim in
                !claim.name.isSame(as: "cnf") && !claim.name.isSame(as: EndsWith.claim)
                    && !policy.claims.contains { claim.name.isSame(as: $0.name) }
            }.map { ($0.name, $0.value) })
    }
}

extension AccessTokenError {
    fileprivate init(_ failure: TokenFailure) {
        switch failure {
        case .expired: self = .expired
        case .tooLarge, .malformed: self = .malformed
        case .missingKeyID, .unknownKeyID, .algorithmMismatch, .criticalHeader, .badSignature,
            .wrongType, .malformedClaims, .missingClaim, .wrongIssuer, .wrongAudience,
            .notYetValid, .issuedInFuture, .tooOld:
            self = .invalid
        }
    }
}
