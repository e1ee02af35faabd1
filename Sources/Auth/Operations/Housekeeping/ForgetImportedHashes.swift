internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension HousekeepingJob {
    /// Shortens the time of a wrong password to the time of our own hashes when no account has an
    /// imported hash any more. While an account has an imported hash, a run reads only the mark and
    /// the password of that account.
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

    /// The maximum number of marks in one run.
    private static let marksMax = 100
    /// A time longer than any import.
    private static let importTime = Span.days(1)
}
