package import Bytes

/// The work of comparing a password with a hash. It can also be spent without a hash: a login with
/// an unknown address must take as long as a login with an imported hash (ASVS 5.0, 6.3.8).
package struct PasswordWork: Hashable, Sendable {
    package enum Algorithm: String, CaseIterable, Sendable {
        case argon2id, bcrypt, scrypt, pbkdf2Sha1, pbkdf2Sha256, pbkdf2Sha512
    }

    package let algorithm: Algorithm
    /// The amount, in a unit that is proportional to the time, so that amounts can be added. For
    /// Argon2id it is KiB times passes, for bcrypt rounds, for scrypt N · r · p, for PBKDF2
    /// iterations times blocks.
    package let amount: Int

    package init(_ algorithm: Algorithm, _ amount: Int) {
        self.algorithm = algorithm
        self.amount = amount
    }

    package init(_ cost: PasswordHash.Cost) {
        self.init(.argon2id, cost.memoryKiB * cost.passes)
    }

    /// The work of `PasswordHash.verify` with this hash.
    package init(comparing text: String) throws(CryptoFailure) {
        if text.hasPrefix(PHCString.algorithm) {
            self.init(try PHCString(parsing: text).cost)
        } else {
            self = try ImportedHash(parsing: text).work
        }
    }

    /// How long one unit takes on the machine of `Benchmarks/README.md`, for comparing amounts of
    /// different algorithms. Other machines are faster or slower at all algorithms by about the
    /// same factor.
    private var nanosecondsPerUnit: Double {
        switch algorithm {
        case .argon2id: 850
        case .bcrypt: 73_000
        case .scrypt: 500
        case .pbkdf2Sha1: 300
        case .pbkdf2Sha256: 370
        case .pbkdf2Sha512: 450
        }
    }

    package var estimatedNanoseconds: Int { Int(Double(amount) * nanosecondsPerUnit) }

    package static func costliest(of works: [PasswordWork]) -> PasswordWork? {
        works.max { $0.estimatedNanoseconds < $1.estimatedNanoseconds }
    }

    /// A small amount of work, for filling the rest of a period of time.
    package static let filling = PasswordWork(.pbkdf2Sha256, 1_000)

    /// The greatest amount for each algorithm.
    package static func greatest(of works: [PasswordWork]) -> [PasswordWork] {
        Algorithm.allCases.compactMap { algorithm in
            works.filter { $0.algorithm == algorithm }.max { $0.amount < $1.amount }
        }
    }

    /// The rest of this work after `done`, which has the same algorithm.
    package func rest(after done: PasswordWork) -> PasswordWork? {
        amount > done.amount ? PasswordWork(algorithm, amount - done.amount) : nil
    }

    /// Does the work and discards the result.
    package func spend(on password: SecretBytes) throws(CryptoFailure) {
        switch algorithm {
        case .argon2id: try spendArgon2id(password)
        case .bcrypt:
            for cost in Bcrypt.costs where amount & 1 << cost != 0 {
                _ = try Bcrypt.verify(password, Bcrypt.placeholder(cost: cost))
            }
        case .scrypt: try spendScrypt(password)
        case .pbkdf2Sha1: try spendPBKDF2(.sha1, password)
        case .pbkdf2Sha256: try spendPBKDF2(.sha256, password)
        case .pbkdf2Sha512: try spendPBKDF2(.sha512, password)
        }
    }

    private static let salt = [UInt8](repeating: 0, count: 16)

    /// Makes two passes, like the standard cost, or more if two would need over 64 MiB of memory.
    private func spendArgon2id(_ password: SecretBytes) throws(CryptoFailure) {
        let most = Argon2id.Cost.strong.memoryKiB
        let passes = amount < 16 ? 1 : max(2, (amount + most - 1) / most)
        guard amount / passes >= 8 else { return }
        let cost = try Argon2id.Cost(memoryKiB: amount / passes, passes: passes, lanes: 1)
        _ = try Argon2id.hash(password, salt: Self.salt, cost: cost, count: 32)
    }

    /// Makes one derivation for each binary digit of N at the usual block size. Each derivation
    /// uses at most 128 MiB: for a larger N, it has parallel lanes, which are computed one after
    /// the other.
    private func spendScrypt(_ password: SecretBytes) throws(CryptoFailure) {
        let blockSize = 8
        let largest = 17
        for bit in 1...20 where (amount / blockSize) & 1 << bit != 0 {
            let cost = try Scrypt.Cost(
                iterations: 1 << min(bit, largest), blockSize: blockSize,
                parallelism: 1 << max(0, bit - largest))
            _ = try Scrypt.derive(password, salt: Self.salt, cost: cost, count: 32)
        }
    }

    private func spendPBKDF2(
        _ digest: PBKDF2.Digest, _ password: SecretBytes
    ) throws(CryptoFailure) {
        var left = amount
        while left > 0 {
            let iterations = min(left, PBKDF2.iterationsMax)
            _ = try PBKDF2.derive(
                digest, password, salt: Self.salt, iterations: iterations, count: digest.byteCount)
            left -= iterations
        }
    }
}

extension ImportedHash {
    var work: PasswordWork {
        switch method {
        case .bcrypt(let cost, _): PasswordWork(.bcrypt, 1 << cost)
        case .scrypt(let cost):
            PasswordWork(.scrypt, cost.iterations * cost.blockSize * cost.parallelism)
        case .pbkdf2(let digest, let iterations):
            PasswordWork(
                digest.algorithm,
                iterations * ((tag.count + digest.byteCount - 1) / digest.byteCount))
        }
    }
}

extension PBKDF2.Digest {
    fileprivate var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    fileprivate var algorithm: PasswordWork.Algorithm {
        switch self {
        case .sha1: .pbkdf2Sha1
        case .sha256: .pbkdf2Sha256
        case .sha512: .pbkdf2Sha512
        }
    }
}
