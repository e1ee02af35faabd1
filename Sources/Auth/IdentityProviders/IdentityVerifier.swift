internal import JOSE
internal import JSON
package import Time

/// Verifies the ID token that an app received from a provider.
package struct IdentityVerifier: Sendable {
    private let keys: KeySetCache

    package init(keys: KeySetCache) { self.keys = keys }

    package func verify(
        idToken: String, provider: ProviderConfiguration, nonce: NonceExpectation, now: Instant
    ) throws(IdentityFailure) -> VerifiedIdentity {
        // 1. Verify the signature and the claims that every ID token has.
        var expectations = TokenExpectations(
            issuers: provider.issuers, audiences: provider.clientIDs, types: [nil, "JWT"],
            now: now, leeway: .zero, ageMax: provider.ageMax)
        expectations.issueLeeway = provider.leeway
        let token = try verified(idToken, of: provider, expecting: expectations)
        // A token with `events` is a security event token (RFC 8417), whose subject did not sign
        // in.
        guard let issuedAt = token.issuedAt, let expiresAt = token.expiresAt,
            token.claims["events"] == nil
        else { throw .invalidIDToken }
        // 2. Check that the token is for us and for this sign-in.
        let claims = IdentityClaims(claims: token.claims)
        guard let audience = claims.audience(among: provider.clientIDs) else {
            throw .invalidAudience
        }
        let verdict = nonce.verdict(
            on: claims.nonce,
            isUnsupported: provider.kind == .apple && claims.saysNonceIsUnsupported)
        guard verdict != .mismatch else { throw .nonceMismatch }

        // 3. Read the identity.
        guard let subject = claims.subject else { throw .invalidSubject }
        return VerifiedIdentity(
            provider: provider.name, issuer: provider.canonicalIssuer, subject: subject,
            email: claims.email, isEmailVerified: claims.isEmailVerified,
            isPrivateEmail: claims.isPrivateEmail, displayName: claims.displayName,
            realUserStatus: claims.realUserStatus, transferSubject: claims.transferSubject,
            audience: audience, tokenFingerprint: token.fingerprint, tokenIssuedAt: issuedAt,
            tokenExpiresAt: expiresAt, nonceWasChecked: verdict == .matches)
    }

    /// Verifies any token of a provider: the key, the signature and the claims.
    func verified(
        _ token: String, of provider: ProviderConfiguration, expecting: TokenExpectations
    ) throws(IdentityFailure) -> VerifiedToken {
        // The header is not trusted yet: its kid only selects a key.
        let token = try Self.checked { () throws(TokenFailure) in
            try CompactToken(parsing: token)
        }
        guard let kid = token.kid else { throw .missingKeyID }
        let keySet = try keys.keys(of: provider, holding: kid)
        guard let key = keySet.key(kid) else { throw .unknownKeyID }
        guard provider.algorithms.contains(key.algorithm) else { throw .invalidSignature }
        return try Self.checked { () throws(TokenFailure) in
            try JWT.verify(token, keys: keySet, expecting: expecting)
        }
    }

    private static func checked<Value>(
        _ step: () throws(TokenFailure) -> Value
    ) throws(IdentityFailure) -> Value {
        do throws(TokenFailure) {
            return try step()
        } catch {
            throw IdentityFailure(error)
        }
    }
}
