package import AuthDomain
internal import AuthRecords
package import Bytes
package import Cryptography
internal import KeyValueStore

/// Encrypts one kind of secret in the rows of accounts under the master key. Each is bound to its
/// row, and has an entry in the index by which housekeeping finds what an old master key encrypted
/// (`ReplaceMasterKey`).
package struct RowSealing: Sendable {
    private let key: AESGCMKey
    private let keyID: [UInt8]
    private let purpose: StaticString
    private let random: RandomSource

    /// - Parameter purpose: a part of what is authenticated, so that no secret passes for one of
    ///   another kind.
    package init(
        _ purpose: StaticString, _ master: MasterKey, _ use: (MasterKey) -> SecretBytes,
        random: RandomSource
    ) throws(CryptoFailure) {
        key = try master.sealing(use)
        keyID = master.id
        self.purpose = purpose
        self.random = random
    }

    func seal(_ secret: SecretBytes, in row: ItemKey) throws(AuthError) -> [UInt8] {
        guard let sealed = try? key.seal(secret, additional: context(row), random: random) else {
            throw .fault(.signingFailed)
        }
        return sealed
    }

    func open(_ sealed: [UInt8], in row: ItemKey) throws(AuthError) -> SecretBytes {
        guard let secret = try? key.open(sealed, additional: context(row)) else {
            throw .fault(.sealedDataUnreadable)
        }
        return secret
    }

    /// The same secret under the master key that is in use; nil if it already is.
    func renewed(_ sealed: [UInt8], in row: ItemKey) throws(AuthError) -> [UInt8]? {
        guard key.isOutdated(sealed, additional: context(row)) else { return nil }
        return try seal(try open(sealed, in: row), in: row)
    }

    /// To be written with the row.
    func entry(of row: ItemKey) -> Write {
        .put(SealedRowEntry(keyID: keyID, row: row).item, when: [])
    }

    private func context(_ row: ItemKey) -> [UInt8] {
        Array("\(purpose)\0\(row.partition)\0\(row.sort)".utf8)
    }
}
