import BaseTestSupport
import Foundation

/// `/_emulator/tables`, `/_emulator/buckets` and `/_emulator/sessions`, and their commands;
/// `lists.py` of ClientTests reads their pages.
@Suite("Tables, objects and sessions", .serialized, .hangLimit)
struct BrowsingTests {
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        emulator = try EmulatorProject([
            "Items": JSONObject.table("items"), "Others": JSONObject.table("others"),
            "B": JSONObject.bucket("bucket"), "C": JSONObject.bucket("second-bucket"),
        ]).start()
        caller = EmulatorClient(emulator)
    }

    private func get(_ path: String) throws -> JSON {
        let answer = try caller.app(.get, "/_emulator/\(path)")
        expectEqual(answer.status, 200, "\(answer.text)")
        expectEqual(answer.headers.value("content-type"), "application/json")
        return answer.json ?? .null
    }

    private func put(_ key: String, _ more: JSONObject = [:]) throws {
        var item: JSONObject = ["pk": ["S": .string(key)], "sk": ["S": "s"]]
        for (name, value) in more.members { item[name] = value }
        let answer = try caller.table("PutItem", ["TableName": "items", "Item": .object(item)])
        expectEqual(answer.status, 200, "\(answer.text)")
    }

    private func run(_ words: [String]) throws -> ProcessResult {
        try ChildProcess.run(EmulatorProcess.command(words + ["--url", emulator.appURL]))
    }

    // MARK: Untrusted contents

    /// Escape sequences, a direction mark, markup.
    private static let hostile =
        "\u{1B}[31m\u{1B}]0;title\u{7}\r\n\u{9B}2J\u{202E}\u{7F}<img src=x onerror=alert(1)>\"\\"

    @Test func `items and keys cannot control the terminal`() throws {
        try put(Self.hostile, [Self.hostile: ["S": .string(Self.hostile)]])
        let path = PercentEncoding.encodePath("/bucket/\(Self.hostile)")
        try expectEqual(caller.object(.put, path, [1]).status, 200)

        let item = try get("tables/items/items")["items"]?.arrayValue?.first
        expectEqual(item?["pk"]?["S"]?.stringValue, Self.hostile)
        expectEqual(item?[Self.hostile]?["S"]?.stringValue, Self.hostile)
        let object = try get("buckets/bucket/objects")["objects"]?.arrayValue?.first
        expectEqual(object?["key"]?.stringValue, Self.hostile)

        for words in [["tables", "items"], ["objects", "bucket"]] {
            for flags in [[], ["--json"]] {
                let result = try run(words + flags)
                expectEqual(result.end, .exit(0), "\(result.errorText)")
                let unsafe = result.text.unicodeScalars.filter {
                    $0.properties.generalCategory == .control
                        || $0.properties.generalCategory == .format
                }
                #expect(unsafe.allSatisfy { $0 == "\n" }, "\(words)")
                #expect(result.text.contains("\\u001b[31m"), "\(result.text)")
                if flags.isEmpty { continue }
                let json = try JSON.parse(result.output, limits: .event)
                let name = words[0] == "tables" ? "items" : "objects"
                expectEqual(json[name]?.arrayValue?.first, words[0] == "tables" ? item : object)
            }
        }
    }

    @Test func `the deepest item is shown`() throws {
        var value: JSON = ["S": "deep"]
        for _ in 0..<31 { value = ["L": [value]] }
        try put("deep", ["value": value])
        let parsed = try JSON.parse(
            try caller.app(.get, "/_emulator/tables/items/items").body,
            limits: JSONLimits(bytesMax: 1 << 20, depthMax: 256))
        expectEqual(parsed["items"]?.arrayValue?.first?["value"], value)
        let result = try run(["tables", "items"])
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(result.text.contains(#"{"value":{"L":[{"L":["#))
    }

    // MARK: Sessions and commands

    @Test func `without Latchkey's functions no sessions are listed`() throws {
        let note = "This needs Latchkey's function audit or latchkey, and the template has neither."
        try expectEqual(
            get("sessions"), ["sessions": [], "functions": [], "notes": [.string(note)]])
        try expectEqual(run(["sessions"]).text, "\(note)\nno sessions\n")
        try expectEqual(caller.app(.get, "/_emulator/sessions?cursor=x").status, 400)
    }

    @Test func `the commands print aligned tables`() throws {
        for key in ["a", "longer"] { try put(key, ["n": ["N": "1"]]) }
        try expectEqual(caller.object(.put, "/bucket/photo", [1, 2, 3]).status, 200)
        let tables = try run(["tables"])
        expectEqual(
            tables.text,
            """
            table   keys    items  bytes
            items   pk, sk  2      \(try bytes(of: "items"))
            others  pk, sk  0      0

            """)
        let items = try run(["tables", "items"]).text.split(separator: "\n").map(String.init)
        let heads = items.first?.split(separator: " ", omittingEmptySubsequences: true)
        expectEqual(heads, ["pk", "sk", "written", "by", "other", "attributes"])
        let rows = items.dropFirst().sorted().map { $0.split(separator: " ") }
        expectEqual(rows.map(\.first), ["a", "longer"])
        #expect(rows.allSatisfy { $0.count == 4 && $0[2].hasPrefix("1-") })
        #expect(rows.allSatisfy { $0[3] == #"{"n":{"N":"1"}}"# })
        let one = try run(["tables", "items", "--key", #"{"pk":{"S":"a"},"sk":{"S":"s"}}"#])
        let lines = one.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[1].hasPrefix("a "), "\(one.text)")
        let page = try run(["tables", "items", "--limit", "1"]).text
        let cursor = try #require(page.components(separatedBy: "\nmore: --cursor ").last)
        let rest = try run(["tables", "items", "--cursor", String(cursor.dropLast())])
        expectEqual(rest.end, .exit(0))
        expectEqual(rest.text.split(separator: "\n").count, 2)
        let objects = try run(["objects", "bucket", "--prefix", "ph"]).text
        #expect(objects.hasPrefix("key    size  content type "), "\(objects)")
        #expect(objects.contains("photo  3     application/octet-stream  20"))
        #expect(try run(["objects"]).text.hasPrefix("bucket         objects  bytes  created\n"))
        try expectEqual(run(["objects", "bucket", "--prefix", "x"]).text, "no objects\n")

        let missing = try run(["tables", "none"])
        expectEqual(missing.end, .exit(1))
        expectEqual(
            missing.errorText, "emulator tables: Table not found: none. Tables: items, others.\n")
        for words in [["tables", "a", "b"], ["objects", "--prefix", "x"], ["sessions", "x"]] {
            try expectEqual(run(words).end, .exit(2), "\(words)")
        }
        for command in ["tables", "objects", "sessions", "explain"] {
            let help = try run([command, "--help"])
            #expect(help.end == .exit(0) && help.text.hasPrefix("usage: emulator \(command)"))
            #expect(help.text.contains("--json"))
        }
    }

    private func bytes(of table: String) throws -> Int64 {
        let tables = try get("tables")["tables"]?.arrayValue ?? []
        return tables.first { $0["name"] == .string(table) }?["bytes"]?.int64Value ?? 0
    }
}
