package import Time
internal import JOSE

/// Tells who signed in at a provider, from the ID token that the app brought.
package struct IdentityVerifier: Sendable {
    private let keys: KeySetCache

    package init(keys: KeySetCache) { self.keys = keys }

    package func verify(
        idToken: String, provider: ProviderConfiguration, nonce: NonceExpectation, now: Instant
    ) throws(IdentityFailure) -> VerifiedIdentity {
        // 1. The key. The header is not to be trusted yet: its kid only finds a key.
        let kid = try Self.keyID(of: idToken)
        let keySet = try keys.keys(of: provider, holding: kid)
        guard let key = keySet.key(kid) else { throw .unknownKeyID }
        guard provider.algorithms.contains(key.algorithm) else { throw .invalidSignature }

        // 2. The signature, and the claims that every ID token has.
        let token: VerifiedToken
        do {
            token = try JWT.verify(
                idToken, keys: keySet, expecting: Self.expectations(provider, now))
        } catch {
            throw IdentityFailure(error)
        }
        guard let issuedAt = token.issuedAt, let expiresAt = token.expiresAt else {
            throw .invalidIDToken
        }
        // 3. For us, and for this sign-in.
        let claims = IdentityClaims(claims: token.claims)
        guard let audience = claims.audience(among: provider.clientIDs) else {
            throw .invalidAudience
        }
        let verdict = nonce.verdict(
            on: claims.nonce,
            isUnsupported: provider.kind == .apple && claims.saysNonceIsUnsupported)
        guard verdict != .mismatch else { throw .nonceMismatch }

        // 4. Who.
        guard let subject = claims.subject else { throw .invalidSubject }
        return VerifiedIdentity(
            provider: provider.name, issuer: provider.canonicalIssuer, subject: subject,
            email: claims.email, isEmailVerified: claims.isEmailVerified,
            isPrivateEmail: claims.isPrivateEmail, displayName: claims.displayName,
            realUserStatus: claims.realUserStatus, transferSubject: claims.transferSubject,
            audience: audience, tokenFingerprint: token.fingerprint, tokenIssuedAt: issuedAt,
            tokenExpiresAt: expiresAt, nonceWasChecked: verdict == .matches)
    }
}
