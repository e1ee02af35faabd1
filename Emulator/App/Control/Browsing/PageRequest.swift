internal import EmulatorBase

/// The requested page of a list: `?limit=&cursor=`, for objects also `prefix=`, or an item's
/// `key=`.
struct PageRequest: Sendable {
    static let limitDefault = 100
    static let limitMax = 1000

    let limit: Int
    let cursor: String?
    let prefix: String
    let key: String?

    init(
        _ request: ServerRequest, takesPrefix: Bool = false, takesKey: Bool = false
    ) throws(BrowsingFailure) {
        do throws(QueryProblem) {
            let query = try Query(
                request,
                ["limit", "cursor"] + (takesPrefix ? ["prefix"] : []) + (takesKey ? ["key"] : []))
            limit = try query.number("limit", 1...Self.limitMax, or: Self.limitDefault)
            cursor = query.text("cursor").flatMap { $0.isEmpty ? nil : $0 }
            key = takesKey ? query.text("key") : nil
            prefix = query.text("prefix") ?? ""
        } catch {
            throw BrowsingFailure(400, error.description)
        }
    }
}
