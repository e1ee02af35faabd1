import AuthDomain
import AuthOperations
import KeyValueStore

/// What a user has marked, in the partition `CONTENT#<user>`: one row for each mark and content, so
/// that none is there twice.
struct ContentMarks {
    enum Mark: String {
        case favorite = "FAVORITE"
        case read = "READ"
        case unlike = "UNLIKE"
    }

    private let auth: AuthServices
    private let user: UserID

    init(_ auth: AuthServices, of user: UserID) {
        self.auth = auth
        self.user = user
    }

    func has(_ mark: Mark, _ content: Int64) throws(AuthError) -> Bool {
        do {
            return try auth.store.get(key(mark, content)) != nil
        } catch {
            throw .unavailable(.store)
        }
    }

    func set(_ mark: Mark, _ content: Int64) throws(AuthError) {
        try write(.put(Item(key(mark, content), [:]), when: []))
    }

    /// Whether it is marked afterwards. Of two requests at the same moment both see the same state,
    /// and make the same one of it.
    func toggle(_ mark: Mark, _ content: Int64) throws(AuthError) -> Bool {
        let key = key(mark, content)
        let isMarked = try has(mark, content)
        try write(
            isMarked ? .delete(key, when: [.present]) : .put(Item(key, [:]), when: [.absent]))
        return !isMarked
    }

    private func write(_ write: Write) throws(AuthError) {
        do throws(StoreFailure) {
            try auth.store.write([write])
        } catch {
            // Another request has just done the same.
            if case .conditionFailed = error { return }
            throw .unavailable(.store)
        }
    }

    private func key(_ mark: Mark, _ content: Int64) -> ItemKey {
        ItemKey("CONTENT#\(user.text)", "\(mark.rawValue)#\(content)")
    }
}
