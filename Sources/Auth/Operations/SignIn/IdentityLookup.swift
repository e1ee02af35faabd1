internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// What a sign-in reads about a verified identity token before anything else: the account, and
/// whether the token and its nonce are still unused.
struct IdentityLookup {
    private let identity: VerifiedIdentity
    private let nonce: String?
    private let claimsEmail: Bool

    init(_ auth: AuthServices, _ identity: VerifiedIdentity, nonce: String?) {
        self.identity = identity
        self.nonce = nonce
        claimsEmail =
            auth.policy.accounts.claimsEmail && identity.isEmailVerified && identity.email != nil
    }

    var ownerKey: ItemKey {
        StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
    }
    private var usedTokenKey: ItemKey {
        StoreLayout.usedIdentityToken(fingerprint: identity.tokenFingerprint)
    }
    private var challengeKey: ItemKey? { nonce.map(StoreLayout.challenge(nonce:)) }
    /// nil where e-mail addresses are not claimed.
    var emailClaimKey: ItemKey? {
        claimsEmail ? identity.email.map(StoreLayout.emailClaim) : nil
    }

    var keys: [ItemKey] {
        [ownerKey, usedTokenKey] + [challengeKey, emailClaimKey].compactMap { $0 }
    }

    /// - Parameter found: what was read of `keys`.
    func isEmailClaimed(_ found: [Item?]) -> Bool {
        emailClaimKey != nil && found[found.count - 1] != nil
    }

    /// An identity token is good once, and so is a nonce that we issued.
    func refuseUsed(_ found: [Item?]) throws(AuthError) {
        if found[1] != nil { throw .signIn(.identityTokenReused) }
        if challengeKey != nil, found[2] == nil { throw .signIn(.challengeUnknown) }
    }

    /// Uses both up.
    var consumption: [Write] {
        let used = Item(usedTokenKey, [:], expiresAt: identity.tokenExpiresAt + .minutes(5))
        return [.put(used, when: [.absent])]
            + (challengeKey.map { [.delete($0, when: [.present])] } ?? [])
    }
}
