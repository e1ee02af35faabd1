internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension User {
    /// Marks the address as verified, and ends every session.
    ///
    /// If it was not verified before, an attacker may have created the account with someone else's
    /// address (account pre-hijacking; Sudhodanan and Paverd, USENIX Security 2022), so the
    /// identities of providers are removed.
    mutating func proveAddress(at now: Instant) {
        epoch += 1
        updatedAt = now
        if !isEmailVerified { identities.removeAll { !$0.isPassword } }
        isEmailVerified = true
    }

    /// The identities that `proveAddress` removes.
    var unprovenIdentities: [LinkedIdentity] {
        isEmailVerified ? [] : identities.filter { !$0.isPassword }
    }
}
