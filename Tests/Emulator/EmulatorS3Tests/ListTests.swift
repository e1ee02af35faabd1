import Bytes
import HTTP
import TestSupport
import Testing
import XML

@Suite struct ListTests {
    private static let keys = ["a", "l/a/1", "l/a/2", "l/b", "l/c/1", "l/d", "l/é", "m"]

    private func harness() throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        for key in Self.keys { try harness.put("/photos/\(PercentEncoding.encodePath(key))", "x") }
        return harness
    }

    private func names(_ list: XMLElement) -> [String] {
        let keys = list.children.filter { $0.name == "Contents" }.compactMap { $0["Key"]?.text }
        let prefixes = list.children.filter { $0.name == "CommonPrefixes" }
            .compactMap { $0["Prefix"]?.text }
        return (keys + prefixes).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    @Test(arguments: [
        ("", keys), ("&prefix=l%2F", ["l/a/1", "l/a/2", "l/b", "l/c/1", "l/d", "l/é"]),
        ("&prefix=l%2F&delimiter=%2F", ["l/a/", "l/b", "l/c/", "l/d", "l/é"]),
        ("&delimiter=%2F", ["a", "l/", "m"]), ("&prefix=none", []),
        ("&start-after=l%2Fc", ["l/c/1", "l/d", "l/é", "m"]),
        ("&start-after=l%2F&delimiter=%2F", ["m"]),
        ("&prefix=l%2F&start-after=a", ["l/a/1", "l/a/2", "l/b", "l/c/1", "l/d", "l/é"]),
        ("&delimiter=a%2F&prefix=l%2F", ["l/a/", "l/b", "l/c/1", "l/d", "l/é"]),
        ("&max-keys=0", []),
    ])
    func `a list has the keys with a prefix and groups them by a delimiter`(
        query: String, expected: [String]
    ) throws {
        let list = try harness().call(.get, "/photos?list-type=2\(query)").document()
        expectEqual(names(list), expected)
        expectEqual(list["KeyCount"]?.text, String(expected.count))
        expectEqual(list["IsTruncated"]?.text, "false")
    }

    @Test(arguments: [1, 2, 3, 5], ["", "&delimiter=%2F", "&prefix=l%2F&delimiter=%2F"])
    func `pages cover the whole list, in both versions`(size: Int, query: String) throws {
        let harness = try harness()
        let whole = try harness.call(.get, "/photos?list-type=2\(query)").document()
        for version in ["list-type=2", ""] {
            var found: [String] = []
            var next = ""
            for _ in 0..<20 {
                let page = try harness.call(
                    .get, "/photos?\(version)&max-keys=\(size)\(query)\(next)"
                ).document()
                found += names(page)
                guard page["IsTruncated"]?.text == "true" else { break }
                let token = page["NextContinuationToken"]?.text
                let marker = page["NextMarker"]?.text ?? names(page).last ?? ""
                next =
                    token.map { "&continuation-token=\($0)" }
                    ?? "&marker=\(PercentEncoding.encode(marker))"
            }
            expectEqual(found, names(whole), "\(version) \(size)")
        }
    }

    @Test func `a list repeats its parameters, encoded on request`() throws {
        let harness = try harness()
        try harness.put("/photos/x%01%20%2B", "12345")
        let list = try harness.call(
            .get, "/photos?list-type=2&prefix=x&encoding-type=url&fetch-owner=true"
        ).document()
        let entry = try #require(list["Contents"])
        expectEqual(entry["Key"]?.text, "x%01%20%2B")
        expectEqual(entry["Size"]?.text, "5")
        expectEqual(entry["ETag"]?.text, "\"827ccb0eea8a706c4c34a16891f84e7b\"")
        expectEqual(entry["LastModified"]?.text, "2023-11-14T22:13:20.000Z")
        expectEqual(entry["StorageClass"]?.text, "STANDARD")
        expectEqual(entry["Owner"]?["ID"]?.text, account)
        expectEqual(list["Name"]?.text, "photos")
        expectEqual(list["EncodingType"]?.text, "url")
    }

    @Test(arguments: [
        "max-keys=-1", "max-keys=many", "encoding-type=xml", "continuation-token=none",
        "continuation-token=%2B",
    ])
    func `invalid list parameters are refused`(query: String) throws {
        try harness().call(.get, "/photos?list-type=2&\(query)").expect(400, "InvalidArgument")
    }
}
