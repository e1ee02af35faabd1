package import AuthDomain
package import Cryptography
package import KeyValueStore
package import Time

/// For each algorithm, the most work that verifying an imported hash takes, and in the same
/// partition a mark for each account that was imported with one. Housekeeping removes the marks of
/// accounts that no longer have such a hash, and finally the row. There is no counter instead of
/// marks, because every first login would have to write it.
package enum ImportedHashes {
    package static func mark(_ user: UserID) -> Item {
        Item(StoreLayout.importedHash(of: user), ["user": .text(user.text)])
    }

    /// The first item of the partition is a mark if there is one.
    package static let first = PartitionQuery(StoreLayout.importedHashes.partition, limit: 1)

    /// nil for the row of the work.
    package static func user(_ mark: Item) -> UserID? {
        guard case .text(let text)? = mark.attributes["user"] else { return nil }
        return UserID(parsing: text)
    }

    private static let importedAt = "importedAt"

    /// When the latest import began. nil for a row of an earlier version, which left no marks.
    package static func importedAt(_ item: Item) throws(StoreFailure) -> Instant? {
        try AttributeReader(item).optionalInteger(importedAt).map(Instant.init(milliseconds:))
    }

    /// Fails if another import changed the row.
    package static func removing(_ item: Item) -> Write {
        .delete(item.key, when: unchanged(item))
    }

    package static func works(_ item: Item?) -> [PasswordWork] {
        guard let item else { return [] }
        return PasswordWork.Algorithm.allCases.compactMap { algorithm in
            guard case .integer(let amount)? = item.attributes[algorithm.rawValue],
                let amount = Int(exactly: amount), (1...amountMax).contains(amount)
            else { return nil }
            return PasswordWork(algorithm, amount)
        }
    }

    /// An upper bound above all import limits: a manipulated row must not cause more work.
    private static let amountMax = 1 << 24

    /// The write fails if another import changed the row.
    package static func replacing(
        _ item: Item?, with works: [PasswordWork], at now: Instant
    ) -> Write {
        var attributes = Attributes()
        if item?.attributes[importedAt] != nil || item == nil { attributes.set(importedAt, now) }
        for work in works where attributes[work.algorithm.rawValue] == nil {
            attributes[work.algorithm.rawValue] = .integer(Int64(work.amount))
        }
        return .put(
            Item(StoreLayout.importedHashes, attributes), when: item.map(unchanged) ?? [.absent])
    }

    private static func unchanged(_ item: Item) -> [Condition] {
        (PasswordWork.Algorithm.allCases.map(\.rawValue) + [importedAt]).map { name in
            item.attributes[name].map { .equals(name, $0) } ?? .lacks(name)
        }
    }
}
