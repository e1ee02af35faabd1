internal import AuthDomain
internal import Bytes
internal import Cryptography

/// Creates and verifies password hashes at the contract's cost.
struct PasswordHashing {
    let policy: PasswordPolicy
    private let limit: HashingLimit
    private let breached: BreachedPasswords?
    private let random: RandomSource
    private let spend: @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void

    fileprivate init(
        _ policy: PasswordPolicy, _ limit: HashingLimit, _ breached: BreachedPasswords?,
        _ random: RandomSource,
        _ spend: @escaping @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void
    ) {
        self.policy = policy
        self.limit = limit
        self.breached = breached
        self.random = random
        self.spend = spend
    }

    /// The hash of a new password that `check` has accepted. A password known from a data breach is
    /// refused here, so that the external service is queried only for requests within the rate
    /// limits.
    func hash(_ password: String) throws(AuthError) -> String {
        if let breached, breached.contains(password) { throw .password(.refused(.breached)) }
        return try hashed(anew: password)
    }

    /// The hash of a password that another system has accepted: as with imported hashes, the user
    /// keeps it.
    func hash(known password: String) throws(AuthError) -> String {
        try hashed(anew: password)
    }

    private func hashed(anew password: String) throws(AuthError) -> String {
        try limited { () throws(CryptoFailure) in
            try PasswordHash.hash(
                SecretBytes(utf8: password), cost: try cost, random: random)
        }
    }

    /// Verifies a password of an authenticated caller.
    func isRight(_ password: String, hash: String) throws(AuthError) -> Bool {
        try isRight(password, hash: hash, spending: [])
    }

    /// Verifies a password where the response time could reveal whether there is an account: a
    /// wrong password takes the same work for every address, whether it has no account or an
    /// imported hash (ASVS 5.0, 6.3.8).
    ///
    /// - Parameters:
    ///   - hash: nil for an address without an account.
    ///   - imported: for each algorithm, the most work that an imported hash takes.
    func isRight(
        _ password: String, hash: String?, imported: [PasswordWork]
    ) throws(AuthError) -> Bool {
        let own = try hashed { () throws(CryptoFailure) in PasswordWork(try cost) }
        return try isRight(
            password, hash: hash, spending: PasswordWork.greatest(of: [own] + imported))
    }

    private func isRight(
        _ password: String, hash: String?, spending totals: [PasswordWork]
    ) throws(AuthError) -> Bool {
        // Longer than any valid password: refused without hashing, whether or not there is an
        // account.
        guard password.utf8.count <= PasswordHash.passwordBytesMax else { return false }
        let secret = SecretBytes(utf8: password)
        return try limited { () throws(CryptoFailure) in
            if let hash, try PasswordHash.verify(secret, phc: hash) { return true }
            let done = try hash.map { hash throws(CryptoFailure) in
                try PasswordWork(comparing: hash)
            }
            for work in PasswordWork.rest(of: totals, after: done) { try spend(work, secret) }
            return false
        }
    }

    /// A new hash of the password, if the stored one has another cost.
    func rehash(_ password: String, hash: String) throws(AuthError) -> String? {
        let isCurrent = try hashed { () throws(CryptoFailure) in
            !PasswordHash.needsRehash(phc: hash, cost: try cost)
        }
        return isCurrent ? nil : try hashed(anew: password)
    }

    private var cost: PasswordHash.Cost {
        get throws(CryptoFailure) {
            try PasswordHash.Cost(
                memoryKiB: policy.cost.memoryKiB, passes: policy.cost.passes,
                lanes: policy.cost.lanes)
        }
    }

    private func limited<Result>(
        _ work: () throws(CryptoFailure) -> Result
    ) throws(AuthError) -> Result {
        try limit.run { () throws(AuthError) in try hashed(work) }
    }

    private func hashed<Result>(
        _ work: () throws(CryptoFailure) -> Result
    ) throws(AuthError) -> Result {
        do {
            return try work()
        } catch {
            throw .fault(.passwordHashingFailed)
        }
    }

    /// Throws when a new password breaks the contract's rules.
    func check(_ password: String, for email: EmailAddress?) throws(AuthError) {
        let defect =
            policy.rules.defect(of: password)
            ?? (policy.rules.refusesCommon ? GuessablePassword(password).defect(for: email) : nil)
        if let defect { throw .password(.refused(defect)) }
    }
}

extension AuthServices {
    var passwords: PasswordHashing {
        get throws(AuthError) {
            guard let policy = policy.passwords else { throw .fault(.serviceNotConfigured) }
            return PasswordHashing(
                policy, hashingLimit, breachedPasswords, random, spendPasswordWork)
        }
    }
}
