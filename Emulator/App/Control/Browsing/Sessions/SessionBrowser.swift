internal import Bytes
internal import EmulatorLambda
internal import JSON

/// The sessions of Latchkey's functions in all their stores, one store after another.
struct SessionBrowser: Sendable {
    private let functions: LatchkeyFunctions

    private static let list = "sessions"
    /// The maximum number of calls for one page. A store may have many users without sessions, and
    /// then a page ends early with a `next`.
    private static let callsMax = 4

    init(_ functions: LatchkeyFunctions) { self.functions = functions }

    func sessions(_ page: PageRequest) throws(BrowsingFailure) -> JSON {
        var (index, after) = try start(page.cursor)
        var sessions: [JSON] = []
        var notes = functions.all.isEmpty ? [LatchkeyFunctions.missing] : []
        var unreadable: Int64 = 0
        var calls = 0
        while index < functions.all.count, sessions.count < page.limit, calls < Self.callsMax {
            calls += 1
            let function = functions.all[index]
            var event: JSONObject = [
                "action": "sessions", "limit": .number(page.limit - sessions.count),
            ]
            event["after"] = after.map { .string($0) }
            after = nil
            do throws(BrowsingFailure) {
                let answer = try functions.ask(function, event, expecting: "sessions")
                for case .object(var session) in answer["sessions"]?.arrayValue ?? [] {
                    session["function"] = .string(function.name)
                    sessions.append(.object(session))
                }
                unreadable += answer["unreadable"]?.int64Value ?? 0
                after = answer["next"]?.stringValue
            } catch {
                notes.append(error.message)
            }
            if after == nil { index += 1 }
        }
        var answer: JSONObject = [
            "sessions": .array(sessions),
            "functions": .array(functions.all.map { .string($0.name) }),
        ]
        if !notes.isEmpty { answer["notes"] = .array(notes.map { .string($0) }) }
        if unreadable > 0 { answer["unreadable"] = .number(unreadable) }
        if index < functions.all.count {
            let place = [functions.all[index].name, after ?? ""]
            answer["next"] = .string(PageCursor.text(of: Self.list, after: place))
        }
        return .object(answer)
    }

    /// The function, and its `next` from the previous page.
    private func start(
        _ cursor: String?
    ) throws(BrowsingFailure) -> (index: Int, after: String?) {
        guard let cursor else { return (0, nil) }
        let parts = try PageCursor.key(cursor, of: Self.list, parts: 2)
        guard let index = functions.all.firstIndex(where: { $0.name.isSame(as: parts[0]) }) else {
            throw PageCursor.refusal
        }
        return (index, parts[1].isEmpty ? nil : parts[1])
    }
}
