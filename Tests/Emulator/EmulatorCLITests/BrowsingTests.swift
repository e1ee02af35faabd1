import BaseTestSupport
import Foundation

/// `/_emulator/tables`, `/_emulator/buckets` and `/_emulator/sessions`, and their commands.
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

    private func refused(_ path: String) throws -> (status: Int, message: String) {
        let answer = try caller.app(.get, "/_emulator/\(path)")
        return (answer.status, answer.json?["message"]?.stringValue ?? "")
    }

    private func put(_ key: String, in table: String = "items", _ more: JSONObject = [:]) throws {
        var item: JSONObject = ["pk": ["S": .string(key)], "sk": ["S": "s"]]
        for (name, value) in more.members { item[name] = value }
        let answer = try caller.table(
            "PutItem", ["TableName": .string(table), "Item": .object(item)])
        expectEqual(answer.status, 200, "\(answer.text)")
    }

    private func delete(_ key: String) throws {
        let answer = try caller.table(
            "DeleteItem",
            ["TableName": "items", "Key": ["pk": ["S": .string(key)], "sk": ["S": "s"]]])
        expectEqual(answer.status, 200, "\(answer.text)")
    }

    private func run(_ words: [String]) throws -> ProcessResult {
        try ChildProcess.run(EmulatorProcess.command(words + ["--url", emulator.appURL]))
    }

    /// All pages of a list; `between` runs after each page.
    private func pages(
        _ path: String, _ name: String, between: (_ page: [JSON]) throws -> Void = { _ in }
    ) throws -> [[JSON]] {
        var pages: [[JSON]] = []
        var cursor = ""
        repeat {
            let answer = try get("\(path)&cursor=\(cursor)")
            pages.append(try #require(answer[name]?.arrayValue))
            cursor = answer["next"]?.stringValue ?? ""
            if !cursor.isEmpty { try between(pages[pages.count - 1]) }
        } while !cursor.isEmpty && pages.count < 100
        return pages
    }

    // MARK: Tables

    @Test func `tables are listed with key schema and item count`() throws {
        for key in ["a", "b"] { try put(key) }
        let tables = try #require(try get("tables")["tables"]?.arrayValue)
        expectEqual(tables.map { $0["name"] }, ["items", "others"])
        expectEqual(tables.map { $0["itemCount"] }, [2, 0])
        expectEqual(
            tables[0]["keySchema"],
            [
                ["name": "pk", "type": "S", "key": "HASH"],
                ["name": "sk", "type": "S", "key": "RANGE"],
            ])
        let pages = try pages("tables?limit=1", "tables")
        expectEqual(pages.map { $0.map { $0["name"] } }, [["items"], ["others"]])
    }

    /// Each item that exists throughout is on exactly one page, whatever is written between two
    /// calls.
    @Test func `pages of 250 items survive writes between them`() throws {
        let keys = (0..<250).map { "item-\($0)" }
        for key in keys { try put(key, ["n": ["N": "1"]]) }
        var deleted: Set<String> = []
        var seen: Set<String> = []
        let pages = try pages("tables/items/items?limit=100", "items") { page in
            let shown = page.compactMap { $0["pk"]?["S"]?.stringValue }
            seen.formUnion(shown)
            let unseen = keys.first { !seen.contains($0) && !deleted.contains($0) }
            // Includes the page's last item, after which the next page begins.
            for key in [shown.first, shown.last, unseen].compactMap({ $0 }) {
                try delete(key)
                deleted.insert(key)
            }
            for index in 0..<30 { try put("new-\(seen.count)-\(index)") }
            try put(try #require(shown.dropFirst().first), ["n": ["N": "2"]])
        }
        let all = pages.joined().compactMap { $0["pk"]?["S"]?.stringValue }
        #expect(pages.count >= 3)
        #expect(pages.allSatisfy { $0.count <= 100 })
        expectEqual(Set(all).count, all.count, "an item is on two pages")
        #expect(deleted.count >= 6)
        for key in keys where !deleted.contains(key) {
            #expect(all.contains(key), "\(key) is on no page")
        }
        expectEqual(pages.first?.first?["n"], ["N": "1"])
    }

    @Test func `a last page that is full has no cursor`() throws {
        for index in 0..<20 { try put("item-\(index)") }
        try expectEqual(pages("tables/items/items?limit=10", "items").map(\.count), [10, 10])
        try expectEqual(get("tables/items/items?limit=20")["next"], nil)
        #expect(try get("tables/items/items?limit=19")["next"] != nil)
        try expectEqual(get("tables/others/items")["items"], [])
    }

    @Test func `large items increase the number of pages, not the size of responses`() throws {
        let text = String(repeating: "x", count: 300_000)
        for index in 0..<10 { try put("large-\(index)", ["text": ["S": .string(text)]]) }
        let first = try caller.app(.get, "/_emulator/tables/items/items?limit=1000")
        #expect(first.body.count < 2 << 20)
        let pages = try pages("tables/items/items?limit=1000", "items")
        #expect(pages.count >= 3 && pages.joined().count == 10)
    }

    @Test func `the error for an invalid page request lists the known names`() throws {
        for index in 0..<3 { try put("item-\(index)") }
        let items = try #require(try get("tables/items/items?limit=1")["next"]?.stringValue)
        let tables = try #require(try get("tables?limit=1")["next"]?.stringValue)
        for cursor in [tables, "x", "AAAA", items + "A", "%00", String(items.dropLast(4))] {
            let (status, message) = try refused("tables/items/items?cursor=\(cursor)")
            #expect(status == 400 && message.hasPrefix("Invalid cursor: expected"), "\(cursor)")
        }
        // The cursor of another table, even with keys of the same form.
        try expectEqual(refused("tables/others/items?cursor=\(items)").status, 400)
        try expectEqual(refused("buckets?cursor=\(tables)").status, 400)
        for limit in ["0", "1001", "-1", "x", "1.5", "", "99999999999999999999"] {
            let (status, message) = try refused("tables/items/items?limit=\(limit)")
            #expect(status == 400 && message == "Invalid limit: expected 1 to 1000.", "\(limit)")
        }
        try expectEqual(
            refused("tables/none/items").message, "Table not found: none. Tables: items, others.")
        try expectEqual(
            refused("buckets/none/objects").message,
            "Bucket not found: none. Buckets: bucket, second-bucket.")
        #expect(try refused("tables?offset=1").message.contains("known are limit, cursor"))
        for path in [
            "tables/none/items", "buckets/none/objects", "tables/items/other", "sessions/x",
        ] {
            try expectEqual(refused(path).status, 404, "\(path)")
        }
        for path in ["tables", "buckets", "sessions", "tokens/explain"] {
            try expectEqual(caller.app(.delete, "/_emulator/\(path)").status, 404)
        }
    }

    // MARK: Objects

    @Test func `objects have pages and a prefix`() throws {
        for index in 0..<250 {
            let path = "/bucket/photos/\(index)"
            try expectEqual(caller.object(.put, path, [1, 2, 3]).status, 200)
        }
        try expectEqual(caller.object(.put, "/bucket/photos", [1]).status, 200)
        try expectEqual(caller.object(.put, "/bucket/z", [1]).status, 200)
        let buckets = try #require(try get("buckets")["buckets"]?.arrayValue)
        expectEqual(buckets.map { $0["name"] }, ["bucket", "second-bucket"])
        expectEqual(buckets.map { $0["objectCount"] }, [252, 0])
        expectEqual(buckets.map { $0["bytes"] }, [752, 0])

        var deleted: [String] = []
        let pages = try pages(
            "buckets/bucket/objects?limit=100&prefix=photos/", "objects"
        ) { page in
            let key = try #require(page.last?["key"]?.stringValue)
            try expectEqual(caller.object(.delete, "/bucket/\(key)").status, 204)
            deleted.append(key)
            try expectEqual(caller.object(.put, "/bucket/photos/00000", [1]).status, 200)
        }
        let keys = pages.joined().compactMap { $0["key"]?.stringValue }
        expectEqual(pages.map(\.count), [100, 100, 50])
        #expect(deleted.count == 2 && Set(keys).count == 250)
        #expect(keys.allSatisfy { $0.hasPrefix("photos/") })
        let object = try #require(pages[0].first)
        expectEqual(object["size"], 3)
        expectEqual(object["etag"], "5289df737df57326fcdd22597afb1fac")
        expectEqual(object["contentType"], "application/octet-stream")
        expectEqual(object["lastModified"]?.stringValue?.hasSuffix("Z"), true)

        let next = try #require(
            try get("buckets/bucket/objects?limit=1&prefix=photos/")["next"]?.stringValue)
        try expectEqual(refused("buckets/bucket/objects?prefix=z&cursor=\(next)").status, 400)
        try expectEqual(refused("buckets/second-bucket/objects?cursor=\(next)").status, 400)
        try expectEqual(get("buckets/bucket/objects?prefix=none")["objects"], [])
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

    /// The cursor of a long key fits into a request.
    @Test func `the longest keys have cursors`() throws {
        let part = String(repeating: "\u{1}", count: 2048)
        let sort = String(repeating: "\u{2}", count: 1024)
        for suffix in ["a", "b"] {
            try put(String(part.dropLast()) + suffix, ["sk": ["S": .string(sort)]])
            let key = String(repeating: "\u{E9}", count: 511) + suffix
            let path = PercentEncoding.encodePath("/bucket/\(key)")
            try expectEqual(caller.object(.put, path, [1]).status, 200)
        }
        try expectEqual(pages("tables/items/items?limit=1", "items").map(\.count), [1, 1])
        try expectEqual(pages("buckets/bucket/objects?limit=1", "objects").map(\.count), [1, 1])
    }

    // MARK: Sessions and commands

    @Test func `without Latchkey's functions no sessions are listed`() throws {
        let note =
            "This needs Latchkey's function audit or latchkey, and the template has neither."
        try expectEqual(
            get("sessions"), ["sessions": [], "functions": [], "notes": [.string(note)]])
        try expectEqual(run(["sessions"]).text, "\(note)\nno sessions\n")
        try expectEqual(refused("sessions?cursor=x").status, 400)
    }

    /// Functions with a store, one of which has the name of Latchkey's.
    @Test func `the reason why a function cannot list its sessions is shown`() throws {
        let project = try EmulatorProject([:])
        let script = Array("#!/bin/sh\nexit 1\n".utf8)
        for name in ["audit", "other"] {
            try project.folder.replace(name, with: script, mode: 0o755)
        }
        try project.write([
            "f": JSONObject.function(
                project.folder.file("audit"), environment: [("STORE", "dynamodb:items")]),
            "g": JSONObject.function(
                project.folder.file("other"), environment: [("STORE", "sqlite:g.db")]),
        ])
        let other = try project.start()
        let answer = try EmulatorClient(other).app(.get, "/_emulator/sessions")
        expectEqual(answer.status, 200)
        expectEqual(answer.json?["sessions"], [])
        let functions = answer.json?["functions"]?.arrayValue ?? []
        let notes = answer.json?["notes"]?.arrayValue ?? []
        #expect(functions.count == 1 && notes.count == 1)
        let name = functions.first?.stringValue ?? ""
        expectEqual(
            notes.first?.stringValue?.hasPrefix("\(name) cannot read the sessions: "), true)
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
