import Foundation

/// A temporary directory of one test.
final class TemporaryDatabase: Sendable {
    let path: String

    init(database: Data? = nil) throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "latchkey-idp-\(UUID().uuidString)")
        path = url.path
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try database?.write(to: url.appending(path: Self.file))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static let file = "identity.sqlite"

    var database: Data {
        get throws { try Data(contentsOf: URL(filePath: path).appending(path: Self.file)) }
    }
}
