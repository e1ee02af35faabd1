internal import Bytes
internal import JSON

extension Provider {
    static let accountsMax = 1000

    /// The default accounts.
    private static let usual = [
        OpenIDAccount(email: "ada@example.com", name: "Ada Lovelace"),
        OpenIDAccount(email: "grace@example.com", name: "Grace Hopper"),
    ].compactMap { $0 }

    func accounts(max: Int = accountsMax) throws(OAuthError) -> [OpenIDAccount] {
        let prefix = Records.prefix(name)
        let records = try store.read { records throws(OAuthError) in
            try records.list(.account, prefix, max: max)
        }
        let own = records.compactMap(OpenIDAccount.init(record:))
        let others = Self.usual.filter { usual in
            !own.contains { $0.identity.isSame(as: usual.identity) }
        }
        return others + own
    }

    /// The stored account with that address, or a default one that is not stored.
    func account(_ email: String, name: String? = nil) throws(OAuthError) -> OpenIDAccount? {
        guard let fresh = OpenIDAccount(email: email, name: name) else { return nil }
        let key = Records.key(self.name, fresh.identity)
        let record = try store.read { records throws(OAuthError) in try records.get(.account, key) }
        if let record { return OpenIDAccount(record: record) }
        return Self.usual.first { $0.identity.isSame(as: fresh.identity) } ?? fresh
    }

    /// Stores an account, replacing one with the same address.
    func keep(_ account: OpenIDAccount) throws(OAuthError) {
        let key = Records.key(name, account.identity)
        let prefix = Records.prefix(name)
        try store.write(at: now) { records throws(OAuthError) in
            let isNew = try records.get(.account, key) == nil
            let count = isNew ? try records.count(.account, prefix) : 0
            guard count < Self.accountsMax else {
                throw .own(409, "Limit reached: \(Self.accountsMax) accounts.")
            }
            try records.put(.account, key, account.record)
        }
    }
}
