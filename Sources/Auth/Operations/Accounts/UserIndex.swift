internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

extension AccountPolicy {
    /// The writes that update the list of accounts with a role.
    func roleIndex(of user: User, from old: AdminRole?) -> [Write] {
        let key = StoreLayout.roleHolder(user.id)
        guard isListed, (old == nil) != (user.adminRole == nil) else { return [] }
        return [user.adminRole == nil ? .delete(key, when: []) : .put(Item(key, [:]), when: [])]
    }

    /// The writes that update the indexes by which administrators find accounts.
    ///
    /// - Parameter known: the account before; nil if it is new.
    func userIndex(from known: User?, to user: User) -> [Write] {
        guard isListed else { return [] }
        return emailIndex(of: user.id, from: known?.emailAddress, to: user.emailAddress)
            + searchIndex(from: known, to: user)
    }

    private func emailIndex(
        of user: UserID, from old: EmailAddress?, to new: EmailAddress?
    ) -> [Write] {
        // Two spellings of one address have one row.
        guard old != new else { return [] }
        let deletion = old.map { Write.delete(StoreLayout.emailUser($0, user), when: []) }
        let row = new.map { Write.put(Item(StoreLayout.emailUser($0, user), [:]), when: []) }
        return [deletion, row].compactMap { $0 }
    }

    /// Former terms are deleted even if the index is off now.
    private func searchIndex(from known: User?, to user: User) -> [Write] {
        let old = known.map(SearchTerm.all) ?? []
        let new = SearchTerm.all(of: user)
        var writes: [Write] = []
        for term in old where !term.isIn(new) {
            writes.append(.delete(StoreLayout.searchable(term, user.id), when: []))
        }
        for term in new where isSearchable && !term.isIn(old) {
            writes.append(.put(Item(StoreLayout.searchable(term, user.id), [:]), when: []))
        }
        return writes
    }

    /// The rows of the indexes, for an account that ends.
    func indexRows(of user: User) -> [ItemKey] {
        guard isListed else { return [] }
        return [StoreLayout.directory(user)]
            + (user.adminRole == nil ? [] : [StoreLayout.roleHolder(user.id)])
            + (user.emailAddress.map { [StoreLayout.emailUser($0, user.id)] } ?? [])
            + (isSearchable
                ? SearchTerm.all(of: user).map { StoreLayout.searchable($0, user.id) } : [])
    }
}
