internal import Cryptography
internal import Synchronization

/// Signatures that one key has verified, so that a token that is presented again costs a hash
/// instead of arithmetic on a curve.
///
/// Only one fact is remembered: the signature is a valid one of the key for the message. Everything
/// that can change (expiry, session, audience) is checked each time, and a key that is no longer
/// trusted is forgotten together with its signatures. An invalid signature is never stored, so
/// attackers can neither fill the memory nor displace the tokens of others.
final class VerifiedSignatures: Sendable {
    /// A power of two.
    static let setCount = 1_024
    /// The number of digests in each set. All sets together take at most 190 KB. With only one in
    /// each set, a fifth of 500 tokens would keep replacing each other.
    static let digestsPerSet = 4

    /// SHA-256 of a signature and its message.
    struct Digest: Equatable {
        fileprivate let words: (UInt64, UInt64, UInt64, UInt64)

        init(_ signature: [UInt8], _ message: [UInt8]) {
            var hasher = SHA256Hasher()
            // The length separates the signature from the message: otherwise the last byte of the
            // signature could as well be the first one of another message.
            hasher.update(utf8: "\(signature.count).")
            hasher.update(signature)
            hasher.update(message)
            let hash = hasher.finalize()
            func word(_ index: Int) -> UInt64 {
                hash[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
            words = (word(0), word(1), word(2), word(3))
        }

        static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

        /// The index of the set to which the digest belongs.
        fileprivate var set: Int { Int(truncatingIfNeeded: words.0) & (setCount - 1) }
    }

    /// In each set, the newest signature is first. Empty sets take no memory: a process for a
    /// single request verifies one signature, and the first write to a page takes about 3 µs.
    private let sets = Mutex<[[Digest]]>([])

    func contains(_ digest: Digest) -> Bool {
        sets.withLock { sets in !sets.isEmpty && sets[digest.set].contains(digest) }
    }

    /// Replaces the oldest digest of its set.
    func insert(_ digest: Digest) {
        sets.withLock { sets in
            if sets.isEmpty { sets = Array(repeating: [], count: Self.setCount) }
            if sets[digest.set].count == Self.digestsPerSet { sets[digest.set].removeLast() }
            sets[digest.set].insert(digest, at: 0)
        }
    }
}
