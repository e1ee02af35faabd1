internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

extension AccountPolicy {
    /// The writes that update the index by e-mail address, by which administrators find accounts.
    func emailIndex(
        of user: UserID, from old: EmailAddress?, to new: EmailAddress?
    ) -> [Write] {
        // Two spellings of one address have one row.
        guard isListed, old != new else { return [] }
        let deletion = old.map { Write.delete(StoreLayout.emailUser($0, user), when: []) }
        let row = new.map { Write.put(Item(StoreLayout.emailUser($0, user), [:]), when: []) }
        return [deletion, row].compactMap { $0 }
    }
}
