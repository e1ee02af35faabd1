internal import Cryptography
internal import Synchronization

/// Signatures that one key has verified, so that a token that is presented again costs a hash
/// instead of arithmetic on a curve.
///
/// Only this is remembered: the signature is one of the key for the message. Whatever can change
/// (expiry, session, audience) is checked each time, and a key that is no longer trusted is
/// forgotten together with its signatures. An invalid signature is never stored, so strangers can
/// neither fill the memory nor evict others' tokens.
final class VerifiedSignatures: Sendable {
    /// A power of two. They take 80 KB, allocated with the first.
    static let slotCount = 2_048

    /// SHA-256 of a signature and its message.
    struct Digest: Equatable {
        fileprivate let words: (UInt64, UInt64, UInt64, UInt64)

        init(_ signature: [UInt8], _ message: [UInt8]) {
            var hasher = SHA256Hasher()
            // The length separates the two: otherwise the last byte of the signature could as well
            // be the first one of another message.
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

        fileprivate var slot: Int { Int(truncatingIfNeeded: words.0) & (slotCount - 1) }
    }

    /// One digest per slot; a later one replaces it.
    private let slots = Mutex<[Digest?]>([])

    func contains(_ digest: Digest) -> Bool {
        slots.withLock { !$0.isEmpty && $0[digest.slot] == digest }
    }

    func insert(_ digest: Digest) {
        slots.withLock { slots in
            if slots.isEmpty { slots = Array(repeating: nil, count: Self.slotCount) }
            slots[digest.slot] = digest
        }
    }
}
