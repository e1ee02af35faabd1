internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// Once no account has an imported hash any more, a wrong password takes no longer than one of
    /// ours. As long as one has, a run reads its mark and its password, and nothing else.
    package static let forgetImportedHashes = HousekeepingJob("importedHashes", needs: []) {
        auth, end throws(AuthError) in
        guard auth.policy.passwords != nil else { return [] }
        let now = auth.clock.now()
        var forgotten = 0
        while forgotten < HousekeepingJob.marksMax, auth.clock.now() < end {
            guard let item = try auth.store.query(ImportedHashes.first).items.first else { break }
            guard let user = ImportedHashes.user(item) else {
                // An import writes this row before its accounts.
                if let at = try decoded(ImportedHashes.importedAt(item)),
                    now - at >= HousekeepingJob.importTime
                {
                    _ = try auth.store.attempt([ImportedHashes.removing(item)])
                }
                break
            }
            let row = try auth.store.get(StoreLayout.password(of: user))
            if let row, try !auth.passwords.isOwn(try decoded(PasswordRecord.hash(row))) { break }
            try auth.store.write([.delete(item.key, when: [])])
            forgotten += 1
        }
        return [("forgotten", forgotten)]
    }

    /// In one run.
    private static let marksMax = 100
    /// Longer than any import lasts.
    private static let importTime = Span.days(1)
}
