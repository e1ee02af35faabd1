internal import Bytes
internal import Cryptography
internal import EmulatorBase

/// The files of the dashboard.
struct DashboardFiles: Sendable {
    static let embedded = DashboardFiles(EmbeddedFile.dashboard)

    /// The page's name does not change; the names of its scripts and its style have the version.
    private static let pageName = "index.html"
    /// The placeholder for the version in the page.
    private static let mark = "{version}"

    /// The version changes whenever a file changes, so that browsers can cache the files without a
    /// limit.
    let version: String
    let page: [UInt8]
    private let files: [EmbeddedFile]

    init(_ files: [EmbeddedFile]) {
        var all: [UInt8] = []
        for file in files { all += Array(file.name.utf8) + [0] + SHA256.hash(file.bytes) }
        version = Hex.encode(Array(SHA256.hash(all).prefix(8)))
        let text = files.first { $0.name.isSame(as: Self.pageName) }?.bytes ?? []
        page = Array(
            String(decoding: text, as: UTF8.self).split(
                separator: Self.mark, omittingEmptySubsequences: false
            ).joined(separator: version).utf8)
        self.files = files.filter { !$0.name.isSame(as: Self.pageName) }
    }

    func file(_ name: Substring) -> EmbeddedFile? {
        files.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    static func type(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }
}
