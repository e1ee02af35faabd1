import AuthDomain
import AuthOperations
import KeyValueStore

/// The content that a user has marked, in the partition `CONTENT#<user>`: one row for each mark and
/// content, so that there are no duplicates.
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
        try auth.store.get(key(mark, content)) != nil
    }

    func set(_ mark: Mark, _ content: Int64) throws(AuthError) {
        try write(.put(Item(key(mark, content), [:]), when: []))
    }

    /// Returns whether the content is marked afterwards. Two simultaneous requests see the same
    /// state, and both change it in the same way.
    func toggle(_ mark: Mark, _ content: Int64) throws(AuthError) -> Bool {
        let key = key(mark, content)
        let isMarked = try has(mark, content)
        try write(
            isMarked ? .delete(key, when: [.present]) : .put(Item(key, [:]), when: [.absent]))
        return !isMarked
    }

    private func write(_ write: Write) throws(AuthError) {
        // If the condition does not hold, a simultaneous request has made the same change.
        _ = try auth.store.attempt([write])
    }

    private func key(_ mark: Mark, _ content: Int64) -> ItemKey {
        ItemKey("CONTENT#\(user.text)", "\(mark.rawValue)#\(content)")
    }
}
