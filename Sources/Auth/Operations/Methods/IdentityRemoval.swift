internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// The writes that remove provider identities from an account: afterwards another account can
    /// have the identities, and housekeeping revokes the providers' tokens for them
    /// (`EraseAccount`).
    ///
    /// They belong in one transaction with `UserRecord.replacing`, which ensures that the
    /// identities still belong to the account, and after which no earlier sign-in can add a token.
    /// The job is written without checking for tokens, because one could be added after the check.
    func removal(
        of identities: [LinkedIdentity], from user: UserID, at now: Instant
    ) -> [Write] {
        identities.flatMap { identity in
            let digest = IdentityDigest(identity)
            let freed = Write.delete(StoreLayout.identity(digest), when: [])
            // No provider has tokens for a passkey or a password.
            if identity.isPasskey {
                let row = StoreLayout.passkey(identity.subject, of: user)
                return [freed, .delete(row, when: [])]
            }
            guard policy.identity.keepsTokens else { return [freed] }
            let job = DeletionRecord(
                user: user, identity: digest, deletedAt: now, due: now, attempts: 0)
            return [freed, .put(job.item, when: [.absent])]
        }
    }
}
