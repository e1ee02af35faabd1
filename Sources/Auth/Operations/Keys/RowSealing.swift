package import AuthDomain
internal import AuthRecords
package import Bytes
package import Cryptography
internal import KeyValueStore

/// Encrypts one kind of secret in the rows of accounts with a key derived from the master key. Each
/// secret is bound to its row, and has an index entry by which housekeeping finds secrets encrypted
/// with an old master key (`ReplaceMasterKey`).
package struct RowSealing: Sendable {
    private let key: AESGCMKey
    private let keyID: [UInt8]
    private let purpose: StaticString
    private let random: RandomSource

    /// - Parameter purpose: part of the additional authenticated data, so that a secret of one kind
    ///   cannot be used as another.
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

    /// The same secret, re-encrypted with the current master key; nil if it already is.
    func renewed(_ sealed: [UInt8], in row: ItemKey) throws(AuthError) -> [UInt8]? {
        guard key.isOutdated(sealed, additional: context(row)) else { return nil }
        return try seal(try open(sealed, in: row), in: row)
    }

    /// The index entry, to be written with the row.
    func entry(of row: ItemKey) -> Write {
        .put(SealedRowEntry(keyID: keyID, row: row).item, when: [])
    }

    private func context(_ row: ItemKey) -> [UInt8] {
        Array("\(purpose)\0\(row.partition)\0\(row.sort)".utf8)
    }
}
