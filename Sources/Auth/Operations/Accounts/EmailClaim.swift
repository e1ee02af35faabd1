internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

extension User {
    /// The writes that replace the account's claimed address. They belong in one transaction with
    /// `UserRecord.replacing`, which ensures that the old claim still belongs to the account.
    ///
    /// - Parameter address: refused by the store if it belongs to another account; nil releases the
    ///   claim.
    func movingClaim(to address: EmailAddress?) -> [Write] {
        let owner = Attribute.text(id.text)
        guard address != loginAddress else {
            return address.map {
                [.check(StoreLayout.emailClaim($0), when: [.equals("user", owner)])]
            } ?? []
        }
        let old = loginAddress.map { Write.delete(StoreLayout.emailClaim($0), when: []) }
        let new = address.map {
            Write.put(Item(StoreLayout.emailClaim($0), ["user": owner]), when: [.absent])
        }
        return [new, old].compactMap { $0 }
    }
}
