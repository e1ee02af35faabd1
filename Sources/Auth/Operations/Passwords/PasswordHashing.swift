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
    private let time: WrongPasswordTime

    fileprivate init(
        _ policy: PasswordPolicy, _ limit: HashingLimit, _ breached: BreachedPasswords?,
        _ random: RandomSource,
        _ spend: @escaping @Sendable (PasswordWork, SecretBytes) throws(CryptoFailure) -> Void,
        _ time: WrongPasswordTime
    ) {
        self.policy = policy
        self.limit = limit
        self.breached = breached
        self.random = random
        self.spend = spend
        self.time = time
    }

    /// The hash of a new password that `check` has accepted. A password known from a data breach is
    /// refused here, so that the external service is queried only for requests within the rate
    /// limits.
    func hash(_ password: String) throws(AuthError) -> String {
        if let breached, breached.contains(password) { throw .password(.refused(.breached)) }
        return try hashed(anew: password)
    }

    /// The hash of a password that another system has accepted: the user keeps this password, as
    /// with imported hashes.
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
        try isRight(password, hash: hash, spending: nil)
    }

    /// Verifies a password where the response time could reveal whether there is an account. A
    /// wrong password takes the time of the costliest hash (`WrongPasswordTime`) for every address,
    /// with or without an account or an imported hash.
    ///
    /// - Parameters:
    ///   - hash: nil for an address without an account.
    ///   - imported: for each algorithm, the most work that an imported hash takes.
    func isRight(
        _ password: String, hash: String?, imported: [PasswordWork]
    ) throws(AuthError) -> Bool {
        try isRight(
            password, hash: hash, spending: PasswordWork.costliest(of: [try own] + imported))
    }

    private func isRight(
        _ password: String, hash: String?, spending total: PasswordWork?
    ) throws(AuthError) -> Bool {
        // A password longer than any valid one is refused without hashing, whether or not there is
        // an account.
        guard password.utf8.count <= PasswordHash.passwordBytesMax else { return false }
        let secret = SecretBytes(utf8: password)
        return try limited { () throws(CryptoFailure) in
            let began = time.clock()
            if let hash, try PasswordHash.verify(secret, phc: hash) { return true }
            guard let total else { return false }
            let done = try hash.map { hash throws(CryptoFailure) in
                try PasswordWork(comparing: hash)
            }
            try spend(total, after: done, since: began, secret)
            return false
        }
    }

    private func spend(
        _ total: PasswordWork, after done: PasswordWork?, since began: Int, _ secret: SecretBytes
    ) throws(CryptoFailure) {
        guard let done else {
            try spend(total, secret)
            return time.note(time.clock() - began, of: total)
        }
        if done.algorithm == total.algorithm {
            if let rest = total.rest(after: done) { try spend(rest, secret) }
        } else {
            let until = began + time.nanoseconds(of: total, after: done, time.clock() - began)
            while time.clock() < until { try spend(.filling, secret) }
        }
    }

    /// A new hash of the password, if the stored one has another cost.
    func rehash(_ password: String, hash: String) throws(AuthError) -> String? {
        try isOwn(hash) ? nil : try hashed(anew: password)
    }

    /// Whether the hash has the contract's algorithm and cost.
    func isOwn(_ hash: String) throws(AuthError) -> Bool {
        try hashed { () throws(CryptoFailure) in
            !PasswordHash.needsRehash(phc: hash, cost: try cost)
        }
    }

    /// Does the work of a hash at the contract's cost.
    var own: PasswordWork {
        get throws(AuthError) {
            try hashed { () throws(CryptoFailure) in PasswordWork(try cost) }
        }
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
                policy, hashingLimit, breachedPasswords, random, spendPasswordWork,
                wrongPasswordTime)
        }
    }
}
