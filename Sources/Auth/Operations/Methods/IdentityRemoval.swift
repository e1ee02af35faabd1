internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// The writes that take identities of providers from an account: another account can have them,
    /// and housekeeping revokes the tokens that the providers gave for them (`EraseAccount`).
    ///
    /// They belong in one transaction with `UserRecord.replacing`, which makes sure that the
    /// identities are still the account's, and after which no sign-in of before can add a token.
    /// The job is written without a look for tokens, because one could be added after the look.
    func removal(
        of identities: [LinkedIdentity], from user: UserID, at now: Instant
    ) -> [Write] {
        identities.flatMap { identity in
            let digest = IdentityDigest(identity)
            let freed = Write.delete(StoreLayout.identity(digest), when: [])
            guard policy.identity.keepsTokens else { return [freed] }
            let job = DeletionRecord(
                user: user, identity: digest, deletedAt: now, due: now, attempts: 0)
            return [freed, .put(job.item, when: [.absent])]
        }
    }
}
