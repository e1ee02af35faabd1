internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda

/// The source files of an interpreted function, which may be edited while it runs.
struct CodeFolder: Sendable {
    let path: String

    /// Changes when a file changes.
    struct Stamp: Equatable {
        fileprivate var files: [String: FileStamp] = [:]
    }

    /// Installed packages, which are not edited, and files written by the interpreter.
    private static let ignored: Set = ["node_modules", "__pycache__", "venv"]

    static func isIgnored(_ name: String) -> Bool {
        name.hasPrefix(".") || ignored.contains(name)
    }

    private static let filesMax = 1000
    private static let depthMax = 6

    var stamp: Stamp {
        var stamp = Stamp()
        add(path, depth: 0, to: &stamp)
        return stamp
    }

    private func add(_ folder: String, depth: Int, to stamp: inout Stamp) {
        for name in Files.entries(folder) where !Self.isIgnored(name) {
            guard stamp.files.count < Self.filesMax else { return }
            let path = "\(folder)/\(name)"
            if Files.isDirectory(path) {
                guard depth < Self.depthMax else { continue }
                add(path, depth: depth + 1, to: &stamp)
            } else {
                stamp.files[path] = FileStamp(path: path)
            }
        }
    }
}

extension Template {
    /// The code folders of interpreted functions.
    var codeFolders: [CodeFolder] {
        let paths = functions.filter { LanguageRuntime($0.runtime) != nil && $0.inlineCode == nil }
            .map(\.codePath)
        return Set(paths).sorted().map { CodeFolder(path: $0) }
    }
}
