package import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
package import Time

/// Creates accounts for the users of another system, who keep their passwords: the next login
/// verifies the imported hash and replaces it. For operators, by direct invocation only.
///
/// Existing accounts are not changed, so a batch can be sent again after a failure.
package struct ImportUsers: Sendable {
    package static let usersMax = 100

    let auth: AuthServices

    package struct Entry: Sendable {
        package var email: String
        package var passwordHash: String
        package var isEmailVerified: Bool
        package var displayName: String?
        package var createdAt: Instant?

        package init(
            email: String, passwordHash: String, isEmailVerified: Bool = false,
            displayName: String? = nil, createdAt: Instant? = nil
        ) {
            self.email = email
            self.passwordHash = passwordHash
            self.isEmailVerified = isEmailVerified
            self.displayName = displayName
            self.createdAt = createdAt
        }
    }

    package enum Outcome: Equatable, Sendable {
        case imported(UserID)
        /// The address already has an account, or occurs twice in the batch.
        case exists
        case refused(Defect)
    }

    package enum Defect: String, Equatable, Sendable {
        case emailInvalid, passwordHashUnsupported
    }

    /// The outcomes are in the order of the entries.
    package func callAsFunction(_ entries: [Entry]) throws(AuthError) -> [Outcome] {
        guard auth.policy.passwords != nil else { throw .fault(.serviceNotConfigured) }
        // Before the first account is created, so that from then on a wrong password takes the same
        // work for every address.
        try remember(entries.map(\.passwordHash).filter(PasswordHash.isImportable))
        var outcomes: [Outcome] = []
        for entry in entries { outcomes.append(try perform(entry)) }
        return outcomes
    }

    private func remember(_ hashes: [String]) throws(AuthError) {
        var works: [PasswordWork] = []
        for hash in hashes {
            guard let work = try? PasswordWork(comparing: hash) else { continue }
            works.append(work)
        }
        for _ in auth.attempts {
            let item = try auth.store.get(StoreLayout.importedHashes)
            let known = ImportedHashes.works(item)
            let all = PasswordWork.greatest(of: known + works)
            guard all != known else { return }
            let write = ImportedHashes.replacing(item, with: all)
            if try auth.store.attempt([write]) {
                return
            }
        }
        throw .unavailable(.contention)
    }

    /// One transaction for each account: the claim of the address decides whether one exists.
    private func perform(_ entry: Entry) throws(AuthError) -> Outcome {
        guard let email = EmailAddress(parsing: entry.email) else { return .refused(.emailInvalid) }
        guard PasswordHash.isImportable(entry.passwordHash) else {
            return .refused(.passwordHashUnsupported)
        }
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, password: entry.passwordHash, email: email,
            isEmailVerified: entry.isEmailVerified,
            displayName: entry.displayName.flatMap(PersonName.cleaned),
            at: min(entry.createdAt ?? now, now))
        var audit = auth.audit(.account(account.user.id), .read(nil))
        audit.record(.accountCreated, Caller(), detail: "import", at: now)
        return try auth.commit(account.writes, &audit) ? .imported(account.user.id) : .exists
    }
}

extension AuthServices {
    package var importUsers: ImportUsers { ImportUsers(auth: self) }
}

extension AuthOperation {
    package static let importUsers = AuthOperation(
        "importUsers", servedBy: "import-users", counting: [], audited: .others)
}
