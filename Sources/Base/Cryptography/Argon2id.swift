package import Bytes
internal import CArgon2

/// Argon2id, version 1.3 (RFC 9106).
///
/// Release builds use libsodium, which is twice as fast; other builds, and hashes with a pepper,
/// use the reference implementation. All stored hashes must use the same one: `PasswordWork`
/// assumes that equal costs take equal times, whatever the salt and the number of lanes.
package enum Argon2id {
    package static let saltBytes = 8...64
    package static let tagBytes = 16...64

    /// The cost parameters of one hash.
    package struct Cost: Equatable, Sendable {
        package let memoryKiB: Int
        package let passes: Int
        package let lanes: Int

        /// The limit for a stored hash: 256 MiB. Without it a row in the database could make a
        /// function run out of memory or time.
        package static let memoryKiBMax = 1 << 18
        package static let passesMax = 16
        package static let lanesMax = 16

        package init(memoryKiB: Int, passes: Int, lanes: Int) throws(CryptoFailure) {
            // RFC 9106 section 3.1: at least eight blocks of 1 KiB per lane.
            guard (1...Self.lanesMax).contains(lanes), (1...Self.passesMax).contains(passes),
                (8 * lanes...Self.memoryKiBMax).contains(memoryKiB)
            else { throw .limitExceeded }
            self.init(unchecked: memoryKiB, passes, lanes)
        }

        private init(unchecked memoryKiB: Int, _ passes: Int, _ lanes: Int) {
            self.memoryKiB = memoryKiB
            self.passes = passes
            self.lanes = lanes
        }

        /// OWASP's first choice, also in ASVS 5.0 appendix C: 19 MiB, two passes. One lane, because
        /// a function has one processor, and more lanes would only help an attacker.
        package static let standard = Cost(unchecked: 19 * 1024, 2, 1)
        /// The second recommended option of RFC 9106 section 4, for memory and passes.
        package static let strong = Cost(unchecked: 64 * 1024, 3, 1)
    }

    /// `secret` and `associated` are the optional inputs of RFC 9106 section 3.1: a pepper, and the
    /// data to bind the hash to.
    package static func hash(
        _ password: SecretBytes, salt: [UInt8], cost: Cost, count: Int,
        secret: SecretBytes = SecretBytes([]), associated: [UInt8] = []
    ) throws(CryptoFailure) -> SecretBytes {
        guard saltBytes.contains(salt.count), tagBytes.contains(count),
            password.count <= PasswordHash.passwordBytesMax,
            secret.count <= PasswordHash.passwordBytesMax,
            associated.count <= PasswordHash.passwordBytesMax
        else { throw .limitExceeded }
        if secret.isEmpty, associated.isEmpty,
            let tag = sodiumHash(password, salt, cost, count)
        {
            return tag
        }
        // The library takes mutable inputs, so pass copies.
        var tag = [UInt8](repeating: 0, count: count)
        var (password, secret) = (password.reveal(), secret.reveal())
        var (salt, associated) = (salt, associated)
        let code = password.withUnsafeMutableBufferPointer { password in
            secret.withUnsafeMutableBufferPointer { secret in
                salt.withUnsafeMutableBufferPointer { salt in
                    associated.withUnsafeMutableBufferPointer { associated in
                        tag.withUnsafeMutableBufferPointer { tag in
                            run(tag, password, salt, secret, associated, cost)
                        }
                    }
                }
            }
        }
        let result = SecretBytes(tag)
        try check(code)
        return result
    }

    /// Returns nil in builds without libsodium, and if there is not enough memory.
    private static func sodiumHash(
        _ password: SecretBytes, _ salt: [UInt8], _ cost: Cost, _ count: Int
    ) -> SecretBytes? {
        var tag = [UInt8](repeating: 0, count: count)
        let code = password.withUnsafeBytes { password in
            latchkey_argon2id(
                &tag, count, password.assumingMemoryBound(to: UInt8.self).baseAddress,
                password.count, salt, salt.count, UInt32(cost.memoryKiB),
                UInt32(cost.passes), UInt32(cost.lanes))
        }
        let hash = SecretBytes(tag)
        return code == 0 ? hash : nil
    }

    private typealias Buffer = UnsafeMutableBufferPointer<UInt8>

    private static func run(
        _ tag: Buffer, _ password: Buffer, _ salt: Buffer, _ secret: Buffer,
        _ associated: Buffer, _ cost: Cost
    ) -> Int32 {
        var context = argon2_context(
            out: tag.baseAddress, outlen: UInt32(tag.count),
            pwd: password.baseAddress, pwdlen: UInt32(password.count),
            salt: salt.baseAddress, saltlen: UInt32(salt.count),
            secret: secret.baseAddress, secretlen: UInt32(secret.count),
            ad: associated.baseAddress, adlen: UInt32(associated.count),
            t_cost: UInt32(cost.passes), m_cost: UInt32(cost.memoryKiB),
            lanes: UInt32(cost.lanes),
            // The result does not depend on the number of threads.
            threads: 1,
            version: ARGON2_VERSION_13.rawValue,
            allocate_cbk: { memory, count in
                memory?.pointee = Argon2Memory.allocate(count)
                return 0
            },
            free_cbk: { memory, count in
                if let memory { Argon2Memory.free(memory, count) }
            },
            // The library wipes the copies of password and secret after use.
            flags: UInt32(1 << 0 | 1 << 1))
        return argon2id_ctx(&context)
    }

    private static func check(_ code: Int32) throws(CryptoFailure) {
        guard code == ARGON2_OK.rawValue else { throw .libraryFailure }
    }
}
