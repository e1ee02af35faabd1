import Foundation
import Testing

/// `Tests/Seeds/clients.md` lists, for each statement of a seed about its app, what verifies it.
@Suite("Statements of the seeds about their apps") struct ClientTableTests {
    private static let expected = Set(
        [
            ("K", 1...12), ("R", 1...15), ("A", 1...10), ("G", 1...19), ("D", 1...9), ("E", 1...4),
            ("I", 1...4),
        ].flatMap { prefix, range in range.map { "\(prefix)\($0)" } })

    /// Statements that cannot be tested without Apple's systems, or are for people.
    private static let untested: Set = [
        "A1", "A2", "A6", "A9", "A10", "D5", "D8", "G8", "G15", "G16", "G17", "I1", "I2", "I3",
        "I4",
    ]

    private struct Row {
        let ids: [String]
        let evidence: [String]
    }

    private static func rows() throws -> [Row] {
        try Repository.text("Tests/Seeds/clients.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 7, cells[1].firstMatch(of: /^ [A-Z]\d/) != nil else { return nil }
            return Row(
                ids: ids(cells[1]),
                evidence: cells[5].matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    private static func ids(_ text: Substring) -> [String] {
        text.matches(of: /[A-Z]\d+/).map { String($0.0) }
    }

    /// The statements in the titles of each app's transcript.
    private static func shown() throws -> [String: Set<String>] {
        let folder = "Tests/System/ClientTests/Transcripts"
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: folder).path)
        return Dictionary(
            uniqueKeysWithValues: try files.map { file in
                let lines = try Repository.text("\(folder)/\(file)").split(separator: "\n")
                let titles = lines.filter { $0.hasPrefix("# ") }
                return (
                    String(file.dropLast(".txt".count)),
                    Set(titles.flatMap { ids($0.prefix { $0 != ":" }) })
                )
            })
    }

    @Test func `every statement has a row, once`() throws {
        let ids = try Self.rows().flatMap(\.ids)
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids) == Self.expected)
    }

    @Test func `every row names an app that shows it or a test, and all of them exist`() throws {
        let shown = try Self.shown()
        let known = try SeedTable.knownTests()
        for row in try Self.rows() {
            #expect(row.evidence.isEmpty == Self.untested.isSuperset(of: row.ids), "\(row.ids)")
            for name in row.evidence {
                if let statements = shown[name] {
                    #expect(statements.isSuperset(of: row.ids), "\(name) does not show \(row.ids)")
                } else {
                    #expect(known.contains(name), "\(row.ids): there is no app and no test \(name)")
                }
            }
        }
    }

    @Test func `every statement that an app shows names the app`() throws {
        let rows = try Self.rows()
        for (app, statements) in try Self.shown() {
            for id in statements {
                let row = try #require(rows.first { $0.ids.contains(id) }, "\(app): \(id)")
                #expect(row.evidence.contains(app), "\(id) is shown by \(app)")
            }
        }
    }

    /// K2, K8, K11: the Keychain is not on Linux, so that only the source tells.
    @Test(arguments: [
        ("livlogios", ".afterFirstUnlockThisDeviceOnly)", #"KeychainStore(service: "net.avalarin"#),
        ("shell", ".whenUnlockedThisDeviceOnly,", "accessibility: .whenUnlockedThisDeviceOnly)"),
        ("news_app", ".whenUnlocked)", #"(service: "news_app", accessibility: .whenUnlocked)"#),
    ])
    func `each app's Keychain has the accessibility of its seed`(
        app: String, item: String, store: String
    ) throws {
        let sources = try Self.sources(of: app)
        #expect(sources.contains("accessibility: " + item))
        #expect(sources.contains(store))
        // The default of the client's store is the store for livlogios.
        let keychain = try Repository.text("Client/LatchkeyClient/Stores/KeychainStore.swift")
        #expect(keychain.contains("accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly"))
    }

    /// K5.
    @Test func `no app keeps tokens in the user defaults`() throws {
        for folder in ["Examples/Apps", "Client"] {
            let files = try Repository.swiftFiles(folder)
            #expect(!files.isEmpty)
            for file in files {
                #expect(try !Repository.text(file).contains("UserDefaults"), "\(file)")
            }
        }
    }

    private static func sources(of app: String) throws -> String {
        try Repository.swiftFiles("Examples/Apps/\(app)").map { try Repository.text($0) }.joined()
    }
}
