import AuthDomain
import AuthOperations
import Bytes
import Cryptography
import JSON
import KeyValueStore

/// The items of a user, in the partition `ITEMS#<user>`. The key begins with the verified user's id,
/// so the items of another user are out of reach.
struct ItemStore {
    private static let listedMax = 100

    private let auth: AuthServices
    private let partition: String

    init(_ auth: AuthServices, of user: UserID) {
        self.auth = auth
        partition = "ITEMS#\(user.text)"
    }

    func all() throws(AuthError) -> [JSON] {
        do {
            let page = try auth.store.query(PartitionQuery(partition, limit: Self.listedMax))
            return page.items.compactMap { item in
                guard case .text(let name)? = item.attributes["name"] else { return nil }
                return ["id": .string(item.key.sort), "name": .string(name)]
            }
        } catch {
            throw .unavailable(.store)
        }
    }

    func add(_ name: String) throws(AuthError) -> JSON {
        let id = Base64URL.encode(auth.random.bytes(16))
        let item = Item(ItemKey(partition, id), ["name": .text(name)])
        do {
            try auth.store.write([.put(item, when: [.absent])])
        } catch {
            throw .unavailable(.store)
        }
        return ["id": .string(id), "name": .string(name)]
    }
}
