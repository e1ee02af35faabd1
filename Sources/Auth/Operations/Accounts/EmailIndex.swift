internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

extension AccountPolicy {
    /// The rows by which administrators find an account by its address, when that changes.
    func emailIndex(of user: UserID, from old: String?, to new: String?) -> [Write] {
        guard isListed, let new, old != new else { return [] }
        let key = StoreLayout.emailUser(new, user)
        var writes: [Write] = []
        // Two spellings of one address have one row.
        if let old, StoreLayout.emailUser(old, user) != key {
            writes.append(.delete(StoreLayout.emailUser(old, user), when: []))
        }
        return writes + [.put(Item(key, [:]), when: [])]
    }
}
