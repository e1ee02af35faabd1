package import Cryptography
package import KeyValueStore

/// For each algorithm, the most work that verifying an imported hash takes. It never decreases,
/// because the accounts that still have such a hash are not counted.
package enum ImportedHashes {
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
    package static func replacing(_ item: Item?, with works: [PasswordWork]) -> Write {
        var attributes = Attributes()
        for work in works where attributes[work.algorithm.rawValue] == nil {
            attributes[work.algorithm.rawValue] = .integer(Int64(work.amount))
        }
        let conditions: [Condition] =
            item.map { item in
                PasswordWork.Algorithm.allCases.map { algorithm in
                    item.attributes[algorithm.rawValue].map { .equals(algorithm.rawValue, $0) }
                        ?? .lacks(algorithm.rawValue)
                }
            } ?? [.absent]
        return .put(Item(StoreLayout.importedHashes, attributes), when: conditions)
    }
}
