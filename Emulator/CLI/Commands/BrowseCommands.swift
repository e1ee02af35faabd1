internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

// Shows the contents of a running emulator's stores.
extension Command {
    private static let pageFlags = [
        Flag("--limit", "N", "The maximum number of entries, 1 to 1000. Default: 100"),
        Flag("--cursor", "CURSOR", "Continue a list after the page that printed this cursor."),
        Flag("--json", nil, "Print the JSON answer of the control API."), url,
    ]

    static let tables = Command(
        name: "tables", operands: "[NAME]",
        summary: "Lists the tables of DynamoDB, or the items of one.",
        details: """
            Items are listed in an order that writes do not change, each with the ID of the request
            that last wrote it, for the command trace. Long texts are cut, except with --json.
            """,
        flags: [
            Flag("--key", "JSON", "Only the item with this key, in DynamoDB's JSON.")
        ] + pageFlags
    ) { arguments, console in
        guard let name = try arguments.operands(["NAME"], optional: 1).first else {
            return try list("tables", "tables", arguments, console) { answer in
                [["table", "keys", "items", "bytes"]]
                    + rows(answer, "tables").map { table in
                        [
                            cell(table["name"]), keys(table).joined(separator: ", "),
                            cell(table["itemCount"]), cell(table["bytes"]),
                        ]
                    }
            }
        }
        let path = "tables/\(PercentEncoding.encode(name))/items"
        return try list(path, "items", arguments, console) { answer in
            let keys = keys(answer)
            let writers = rows(answer, "writers")
            return [keys + ["written by", "other attributes"]]
                + rows(answer, "items").enumerated().map { index, item in
                    let writer = writers.indices.contains(index) ? writers[index]["traceId"] : nil
                    let others = (item.objectValue?.members ?? []).filter { member in
                        !keys.contains { $0.isSame(as: member.name) }
                    }
                    let rest = JSON.object(JSONObject(others.map { ($0.name, $0.value) }))
                    return keys.map { scalar(item[$0]) } + [cell(writer), rest.text]
                }
        }
    }

    static let objects = Command(
        name: "objects", operands: "[BUCKET]",
        summary: "Lists the buckets of S3, or the objects of one.",
        details: """
            Objects are listed in the order of their keys, with size, type and the ID of the request
            that wrote them, for the command trace. Example:

              emulator objects photos --prefix users/
            """,
        flags: [Flag("--prefix", "TEXT", "Only keys that begin with TEXT.")] + pageFlags
    ) { arguments, console in
        guard let name = try arguments.operands(["BUCKET"], optional: 1).first else {
            guard arguments.text("--prefix") == nil else {
                throw UsageError(description: "--prefix requires a bucket")
            }
            return try list("buckets", "buckets", arguments, console) { answer in
                [["bucket", "objects", "bytes", "created"]]
                    + rows(answer, "buckets").map { bucket in
                        ["name", "objectCount", "bytes", "createdAt"].map { cell(bucket[$0]) }
                    }
            }
        }
        let path = "buckets/\(PercentEncoding.encode(name))/objects"
        return try list(path, "objects", arguments, console) { answer in
            [["key", "size", "content type", "last modified", "etag"]]
                + rows(answer, "objects").map { object in
                    ["key", "size", "contentType", "lastModified", "etag"].map { cell(object[$0]) }
                }
        }
    }

    static let sessions = Command(
        name: "sessions", operands: "",
        summary: "Lists the sessions of Latchkey's functions.",
        details: """
            The function audit lists them, so this works with every store. The column grace has the
            remaining time in which the previous refresh token still gets the same successor. No
            token is shown.
            """, flags: pageFlags
    ) { arguments, console in
        _ = try arguments.operands([])
        return try list("sessions", "sessions", arguments, console) { answer in
            [
                [
                    "user", "family", "state", "generation", "last used", "expires", "grace",
                    "key", "provider", "device",
                ]
            ]
                + rows(answer, "sessions").map { session in
                    let grace = session["graceLeftMilliseconds"]?.int64Value
                    return [
                        cell(session["user"]), cell(session["family"]), cell(session["state"]),
                        cell(session["generation"]), cell(session["lastUsedAt"]),
                        cell(session["expiresAt"]), grace.map { "\($0) ms" } ?? "",
                        session["isBoundToKey"] == true ? "bound" : "",
                        cell(session["provider"]), cell(session["device"]),
                    ]
                }
        }
    }

    /// An item has up to 32 levels, each of which has two levels in DynamoDB's JSON.
    private static let pageLimits = JSONLimits(
        bytesMax: 64 << 20, depthMax: 128, membersMax: nil)

    /// A page, as a table or as JSON.
    private static func list(
        _ path: String, _ name: String, _ arguments: Arguments, _ console: Console,
        _ table: (JSON) -> [[String]]
    ) throws -> Int32 {
        var query: [(String, String)] = []
        for parameter in ["limit", "cursor", "prefix", "key"] {
            if let value = arguments.text("--\(parameter)") { query.append((parameter, value)) }
        }
        let target = query.isEmpty ? path : "\(path)?\(PercentEncoding.form(query))"
        let response = try ControlClient(arguments).send(.get, target)
        guard let answer = try? JSON.parse(response.body, limits: pageLimits) else {
            throw CommandFailure("the response is not JSON: is this an emulator?")
        }
        guard !arguments.has("--json") else {
            console.print(TerminalText.json(answer.text))
            return 0
        }
        // Why a list may lack entries.
        for case .string(let note) in rows(answer, "notes") {
            console.print(TerminalText.line(note))
        }
        if rows(answer, name).isEmpty {
            console.print("no \(name)\(answer["next"] == nil ? "" : " on this page")")
        } else {
            console.print(TextTable(table(answer)).text)
        }
        if let next = answer["next"]?.stringValue {
            console.print("\nmore: --cursor \(TerminalText.line(next))")
        }
        return 0
    }

    private static func rows(_ answer: JSON, _ name: String) -> [JSON] {
        answer[name]?.arrayValue ?? []
    }

    private static func keys(_ answer: JSON) -> [String] {
        rows(answer, "keySchema").map { cell($0["name"]) }
    }

    /// A key attribute in DynamoDB's JSON.
    private static func scalar(_ value: JSON?) -> String {
        value?.objectValue?.members.first.map { cell($0.value) } ?? ""
    }

    private static func cell(_ value: JSON?) -> String {
        value.map { $0.stringValue ?? $0.text } ?? ""
    }
}
