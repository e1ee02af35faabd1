// Reads and changes state directly, without operations.
extension AuthKit {
    /// Disables a user, as an administrator would.
    func disable(_ user: User, _ isDisabled: Bool = true) throws {
        try change(user.id) { $0.isDisabled = isDisabled }
    }

    func change(_ id: UserID, _ change: (inout User) -> Void) throws {
        let item = try store.get(StoreLayout.profile(id))
        guard let item else { throw KitFailure.noSession }
        let user = try UserRecord.user(item, id: id)
        try store.write([UserRecord.replacing(user, change: change)])
    }

    func user(_ id: UserID) throws -> User? {
        try store.get(StoreLayout.profile(id)).map { try UserRecord.user($0, id: id) }
    }

    func sessions(of user: UserID) throws -> [Item] {
        try store.query(
            PartitionQuery(
                StoreLayout.profile(user).partition, prefix: StoreLayout.sessionPrefix,
                limit: 1000)
        ).items
    }

    /// The number of sessions of Apple's subject 001.
    func sessionCount(
        issuer: String = "https://apple.example.com", subject: String = "001"
    ) throws -> Int {
        let owner = try store.get(StoreLayout.identity(issuer: issuer, subject: subject))
        guard case .text(let text)? = owner?.attributes["user"], let id = UserID(parsing: text)
        else { return 0 }
        return try sessions(of: id).count
    }

    /// The events of a chain, oldest first.
    func auditItems(in chain: AuditChain) throws -> [Item] {
        try store.query(PartitionQuery(chain.partition, limit: 1000)).items.reversed()
    }

    func auditItems(of user: UserID) throws -> [Item] { try auditItems(in: .account(user)) }

    func audit(in chain: AuditChain) throws -> [String] {
        try auditItems(in: chain).map { try AuditRecord($0).entry.event }
    }

    /// The events of an account's chain of actions.
    func audit(of user: UserID) throws -> [String] { try audit(in: .account(user)) }
}
