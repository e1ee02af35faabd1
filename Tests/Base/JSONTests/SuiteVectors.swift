import Foundation
import Testing

/// nst/JSONTestSuite, loaded with Foundation, to be independent of the parser under test.
struct SuiteCase: Sendable, CustomTestStringConvertible {
    enum Expectation: String, Decodable {
        case accept, reject, transform
        case implementationDefined = "implementation-defined"
    }

    let name: String
    let expectation: Expectation
    let bytes: [UInt8]

    var testDescription: String { name }

    static func cases(_ expectation: Expectation) -> [SuiteCase] {
        all.filter { $0.expectation == expectation }
    }

    static let all: [SuiteCase] = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/json_test_suite.json")
        guard let data = try? Data(contentsOf: url),
            let file = try? JSONDecoder().decode(File.self, from: data)
        else { return [] }
        return file.cases.compactMap { entry in
            let name = String(entry.path.dropFirst("test_".count).dropLast(".json".count))
            guard
                let bytes = entry.b64.flatMap({ Data(base64Encoded: $0) }).map({ [UInt8]($0) })
                    ?? large[name], bytes.count == entry.size
            else { return nil }
            return SuiteCase(name: name, expectation: entry.expect, bytes: bytes)
        }
    }()

    /// The two cases that are compressed in the file, as code.
    private static let large: [String: [UInt8]] = [
        "parsing/n_structure_100000_opening_arrays": [UInt8](repeating: 0x5B, count: 100_000),
        "parsing/n_structure_open_array_object":
            Array((String(repeating: "[{\"\":", count: 50_000) + "\n").utf8),
    ]

    private struct File: Decodable { let cases: [Entry] }
    private struct Entry: Decodable {
        let path: String
        let expect: Expectation
        let size: Int
        let b64: String?
    }
}
