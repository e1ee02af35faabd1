import AuthDomain
import AuthOperations
import Bytes
import Cryptography
import JSON
import KeyValueStore

/// The application's own rows, in partitions of their own: `NOTES#<user>`. The key begins with the
/// verified user's id, so the notes of another user are out of reach.
struct NoteStore {
    private static let listedMax = 100

    private let auth: AuthServices

    init(_ auth: AuthServices) { self.auth = auth }

    func notes(of user: UserID) throws(AuthError) -> [JSON] {
        let page: Page
        do {
            page = try auth.store.query(PartitionQuery(partition(user), limit: Self.listedMax))
        } catch {
            throw .unavailable(.store)
        }
        return page.items.compactMap { item in
            guard case .text(let text)? = item.attributes["text"] else { return nil }
            return ["id": .string(item.key.sort), "text": .string(text)]
        }
    }

    func write(_ text: String, of user: UserID) throws(AuthError) -> JSON {
        let id = Base64URL.encode(auth.random.bytes(16))
        let item = Item(ItemKey(partition(user), id), ["text": .text(text)])
        do {
            try auth.store.write([.put(item, when: [.absent])])
        } catch {
            throw .unavailable(.store)
        }
        return ["id": .string(id)]
    }

    private func partition(_ user: UserID) -> String { "NOTES#\(user.text)" }
}
