internal import Bytes
internal import EmulatorHTTP

/// Which page of a list is asked for: `?limit=&cursor=`, for objects also `prefix=`.
struct PageRequest: Sendable {
    static let limitDefault = 100
    static let limitMax = 1000

    let limit: Int
    let cursor: String?
    let prefix: String

    init(_ request: ServerRequest, takesPrefix: Bool = false) throws(BrowsingFailure) {
        let names = ["limit", "cursor"] + (takesPrefix ? ["prefix"] : [])
        let query = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 8)
        guard let query else { throw BrowsingFailure(400, "Invalid query.") }
        for (name, _) in query {
            guard names.contains(where: name.isSame(as:)) else {
                throw BrowsingFailure(
                    400, "Unknown parameter: known are \(names.joined(separator: ", ")).")
            }
        }
        func value(_ name: String) -> String? { query.last { $0.0 == name }?.1 }
        cursor = value("cursor").flatMap { $0.isEmpty ? nil : $0 }
        prefix = value("prefix") ?? ""
        guard let text = value("limit") else {
            limit = Self.limitDefault
            return
        }
        guard let number = Int(text), (1...Self.limitMax).contains(number) else {
            throw BrowsingFailure(400, "Invalid limit: expected 1 to \(Self.limitMax).")
        }
        limit = number
    }
}
