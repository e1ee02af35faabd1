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
        /// The time is probably in milliseconds.
        case createdAtInFuture
    }

    package struct Output: Equatable, Sendable {
        /// The outcomes, in the order of the entries.
        package let outcomes: [Outcome]
        /// About how much processor time a wrong password takes from now on. nil if it is little,
        /// or if the imported hashes do not increase it.
        package let wrongPasswordMilliseconds: Int?

        package var warning: String? {
            wrongPasswordMilliseconds.map { milliseconds in
                let seconds = "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100)"
                return "Each wrong password takes about \(seconds) seconds of processor time, "
                    + "until no account has an imported hash."
            }
        }
    }

    package static func defect(of entry: Entry, at now: Instant) -> Defect? {
        if EmailAddress(parsing: entry.email) == nil { return .emailInvalid }
        if !PasswordHash.isImportable(entry.passwordHash) { return .passwordHashUnsupported }
        // The clock of the other system may have been ahead.
        return entry.createdAt.map { $0 > now + .days(2) } ?? false ? .createdAtInFuture : nil
    }

    package func callAsFunction(_ entries: [Entry]) throws(AuthError) -> Output {
        guard auth.policy.passwords != nil else { throw .fault(.serviceNotConfigured) }
        // The work of the imported hashes is stored before the first account is created: from then
        // on, a wrong password takes the same work for every address.
        let works = try remember(entries.map(\.passwordHash).filter(PasswordHash.isImportable))
        var outcomes: [Outcome] = []
        for entry in entries { outcomes.append(try perform(entry)) }
        let costliest = PasswordWork.costliest(of: works)?.estimatedNanoseconds ?? 0
        let own = max(Self.noticeableNanoseconds, try auth.passwords.own.estimatedNanoseconds)
        return Output(
            outcomes: outcomes,
            wrongPasswordMilliseconds: costliest > own ? costliest / 1_000_000 : nil)
    }

    private static let noticeableNanoseconds = 100_000_000

    /// The row also has the current time, so that housekeeping does not change it for a while.
    private func remember(_ hashes: [String]) throws(AuthError) -> [PasswordWork] {
        var works: [PasswordWork] = []
        for hash in hashes {
            guard let work = try? PasswordWork(comparing: hash) else { continue }
            works.append(work)
        }
        for _ in auth.attempts {
            let item = try auth.store.get(StoreLayout.importedHashes)
            let known = ImportedHashes.works(item)
            let all = PasswordWork.greatest(of: known + works)
            guard !all.isEmpty else { return [] }
            let write = ImportedHashes.replacing(item, with: all, at: auth.clock.now())
            if try auth.store.attempt([write]) { return all }
        }
        throw .unavailable(.contention)
    }

    /// One transaction for each account: the claim of the address decides whether one exists.
    private func perform(_ entry: Entry) throws(AuthError) -> Outcome {
        let now = auth.clock.now()
        let defect = Self.defect(of: entry, at: now)
        guard defect == nil, let email = EmailAddress(parsing: entry.email) else {
            return .refused(defect ?? .emailInvalid)
        }
        let account = try NewAccount(
            auth, password: entry.passwordHash, email: email,
            isEmailVerified: entry.isEmailVerified,
            displayName: entry.displayName.flatMap(PersonName.cleaned),
            at: min(entry.createdAt ?? now, now))
        var audit = auth.audit(.account(account.user.id), .read(nil))
        audit.record(.accountCreated, Caller(), detail: "import", at: now)
        let mark = Write.put(ImportedHashes.mark(account.user.id), when: [])
        let writes = account.writes + (try auth.passwords.isOwn(entry.passwordHash) ? [] : [mark])
        return try auth.commit(writes, &audit) ? .imported(account.user.id) : .exists
    }
}

extension AuthServices {
    package var importUsers: ImportUsers { ImportUsers(auth: self) }
}

extension AuthOperation {
    package static let importUsers = AuthOperation(
        "importUsers", servedBy: "import-users", counting: [], audited: .others)
}
