internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// The first read of a sign-in: the account, and whether the token and its nonce are unused.
struct IdentityLookup {
    private let identity: VerifiedIdentity
    private let nonce: String?
    private let claimsEmail: Bool

    /// - Parameter claimsEmail: whether a new account of the identity claims its address.
    init(_ identity: VerifiedIdentity, nonce: String?, claimsEmail: Bool) {
        self.identity = identity
        self.nonce = nonce
        self.claimsEmail = claimsEmail && identity.isEmailVerified && identity.email != nil
    }

    var ownerKey: ItemKey {
        StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
    }
    private var usedTokenKey: ItemKey {
        StoreLayout.usedIdentityToken(fingerprint: identity.tokenFingerprint)
    }
    private var challengeKey: ItemKey? { nonce.map(StoreLayout.challenge(nonce:)) }
    /// nil if e-mail addresses are not claimed.
    var emailClaimKey: ItemKey? {
        claimsEmail
            ? identity.email.flatMap(EmailAddress.init(parsing:)).map(StoreLayout.emailClaim) : nil
    }

    var keys: [ItemKey] {
        [ownerKey, usedTokenKey] + [challengeKey, emailClaimKey].compactMap { $0 }
    }

    /// - Parameter found: the items of `keys`.
    func isEmailClaimed(_ found: ReadItems) -> Bool {
        emailClaimKey.flatMap { found[$0] } != nil
    }

    /// An identity token can be used once, and so can a nonce that we issued.
    func refuseUsed(_ found: ReadItems) throws(AuthError) {
        if found[usedTokenKey] != nil { throw .signIn(.identityTokenReused) }
        if let challengeKey, found[challengeKey] == nil { throw .signIn(.challengeUnknown) }
    }

    /// Marks the token and the nonce as used.
    var consumption: [Write] {
        let used = Item(usedTokenKey, [:], expiresAt: identity.tokenExpiresAt + .minutes(5))
        return [.put(used, when: [.absent])]
            + (challengeKey.map { [.delete($0, when: [.present])] } ?? [])
    }
}
