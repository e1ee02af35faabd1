internal import AuthDomain
internal import Bytes
internal import Cryptography

/// Makes and checks password hashes at the cost that the contract asks for.
struct PasswordHashing {
    let policy: PasswordPolicy
    private let limit: HashingLimit
    private let breached: BreachedPasswords?
    private let random: RandomSource

    fileprivate init(
        _ policy: PasswordPolicy, _ limit: HashingLimit, _ breached: BreachedPasswords?,
        _ random: RandomSource
    ) {
        self.policy = policy
        self.limit = limit
        self.breached = breached
        self.random = random
    }

    /// The hash of a new password, which `check` has let pass. One that is known from a data breach
    /// is refused here: the service is only asked for a request that its rate limits admit.
    func hash(_ password: String) throws(AuthError) -> String {
        if let breached, breached.contains(password) { throw .password(.refused(.breached)) }
        return try hashed(anew: password)
    }

    private func hashed(anew password: String) throws(AuthError) -> String {
        try limited { () throws(CryptoFailure) in
            try PasswordHash.hash(
                SecretBytes(utf8: password), cost: try cost, random: random)
        }
    }

    /// Without a stored hash the password is hashed all the same, so that an unknown address takes
    /// as long as a wrong password (ASVS 5.0, 6.3.8).
    func isRight(_ password: String, hash: String?) throws(AuthError) -> Bool {
        // Longer than any password can be: refused without a hash, whether or not there is one.
        guard password.utf8.count <= PasswordHash.passwordBytesMax else { return false }
        let secret = SecretBytes(utf8: password)
        return try limited { () throws(CryptoFailure) in
            if let hash { return try PasswordHash.verify(secret, phc: hash) }
            _ = try PasswordHash.hash(secret, cost: try cost, random: random)
            return false
        }
    }

    /// The password hashed anew, where its hash was made at another cost.
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
            return PasswordHashing(policy, hashingLimit, breachedPasswords, random)
        }
    }
}
