package import AuthDomain
package import AuthOperations
internal import Bytes
internal import Cryptography
package import JSON
internal import KeyValueStore

/// The application's own rows for each user, in the partition `<kind>#<user>`. The key begins with
/// the ID of the verified user, so another user's rows cannot be accessed.
package struct UserRows {
    private static let listedMax = 100

    private let auth: AuthServices
    private let partition: String
    private let member: String

    /// - Parameter member: the single value of a row, besides its ID.
    package init(_ auth: AuthServices, _ kind: String, of user: UserID, member: String) {
        self.auth = auth
        self.member = member
        partition = "\(kind)#\(user.text)"
    }

    package func all() throws(AuthError) -> JSON {
        let query = PartitionQuery(partition, limit: Self.listedMax)
        return .array(
            try auth.store.query(query).items.compactMap { item in
                guard case .text(let text)? = item.attributes[member] else { return nil }
                return row(item.key.sort, text)
            })
    }

    package func add(_ text: String) throws(AuthError) -> JSON {
        let id = Base64URL.encode(auth.random.bytes(16))
        let item = Item(ItemKey(partition, id), [member: .text(text)])
        try auth.store.write([.put(item, when: [.absent])])
        return row(id, text)
    }

    private func row(_ id: String, _ text: String) -> JSON {
        .object(JSONObject([("id", .string(id)), (member, .string(text))]))
    }
}
