internal import AuthDomain
internal import Bytes

/// The other accounts that are signed in in a browser, so that its user can switch to them. A
/// cookie holds their sessions, and their names for the choice, so that the store is read only for
/// the chosen account.
struct BrowserAccounts: Sendable {
    struct Account: Sendable {
        let user: UserID
        /// The user's address or name, as it was at the sign-in.
        let name: String
        let refresh: String
    }

    /// The most recently used account comes first.
    private(set) var all: [Account] = []

    /// Browsers limit a cookie to 4,096 bytes.
    private static let most = 4
    private static let bytesMax = 4000
    private static let separator: Character = "~"
    private static let partSeparator: Character = ":"

    init(cookie: String?) {
        guard let cookie, cookie.utf8.count <= Self.bytesMax else { return }
        all = cookie.split(separator: Self.separator).prefix(Self.most).compactMap { text in
            let parts = text.split(separator: Self.partSeparator)
            guard parts.count == 3, let user = UserID(parsing: String(parts[0])),
                let name = Base64URL.decode(parts[1])
            else { return nil }
            return Account(
                user: user, name: String(decoding: name, as: UTF8.self),
                refresh: String(parts[2]))
        }
    }

    var cookie: String {
        all.map { account in
            [account.user.text, Base64URL.encode(Array(account.name.utf8)), account.refresh]
                .joined(separator: String(Self.partSeparator))
        }.joined(separator: String(Self.separator))
    }

    subscript(_ user: UserID) -> Account? { all.first { $0.user == user } }

    /// - Returns: the accounts that no longer fit.
    mutating func add(_ account: Account) -> [Account] {
        remove(account.user)
        all.insert(account, at: 0)
        var dropped: [Account] = []
        while all.count > Self.most || cookie.utf8.count > Self.bytesMax {
            dropped.append(all.removeLast())
        }
        return dropped
    }

    mutating func remove(_ user: UserID) { all.removeAll { $0.user == user } }
}
