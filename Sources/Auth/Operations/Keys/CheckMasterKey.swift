internal import AuthDomain
internal import AuthRecords
package import KeyValueStore
internal import Time

/// Whether the configured master key belongs to the store. A server with another key would start,
/// and then fail every request that needs a secret from the store.
///
/// The check value is the ID in `MasterKeyRecord`. A store without one is new, or was written by a
/// version that recorded it later: then a signing key is used for the check.
struct CheckMasterKey: Sendable {
    let auth: AuthServices

    func run() throws(AuthError) -> Bool {
        let keys = try auth.masterKeyIDs
        for _ in auth.attempts {
            if let item = try auth.store.get(StoreLayout.masterKey) {
                return keys.contains(try record(item).keyID)
            }
            guard try opensSigningKeys() else { return false }
            let record = MasterKeyRecord(keyID: keys.current, since: auth.clock.now())
            if try auth.store.attempt([.put(record.item, when: [.absent])]) { return true }
        }
        throw .unavailable(.contention)
    }

    private func record(_ item: Item) throws(AuthError) -> MasterKeyRecord {
        try decoded(MasterKeyRecord(item))
    }

    private func opensSigningKeys() throws(AuthError) -> Bool {
        guard let stored = auth.signingKeys.stored else { return true }
        do throws(AuthError) {
            _ = try stored.read()
            return true
        } catch .fault(.sealedDataUnreadable) {
            return false
        }
    }
}

package enum StoredMasterKey {
    /// The ID of the master key under which the store was written; nil if it has not been recorded.
    package static func id(in store: any KeyValueStore) throws(StoreFailure) -> [UInt8]? {
        try store.get(StoreLayout.masterKey).map { item throws(StoreFailure) in
            try MasterKeyRecord(item).keyID
        }
    }
}

/// The IDs of the configured master keys.
struct MasterKeyIDs: Sendable {
    let current: [UInt8]
    let previous: [[UInt8]]

    func contains(_ id: [UInt8]) -> Bool { current == id || previous.contains(id) }
}

extension AuthServices {
    package var hasMasterKey: Bool { (try? masterKeyIDs) != nil }

    /// Creates the check value in a store that has none.
    package func hasMasterKeyOfStore() throws(AuthError) -> Bool {
        try CheckMasterKey(auth: self).run()
    }
}
