/// The languages whose handlers run without their own executable: the emulator's bootstrap program
/// calls them, as AWS's runtime does.
package enum LanguageRuntime: Sendable, CaseIterable {
    case python, node

    /// nil for the runtimes of other languages.
    package init?(_ runtime: String) {
        guard let language = Self.allCases.first(where: { runtime.hasPrefix($0.prefix) }) else {
            return nil
        }
        self = language
    }

    /// `python3.12`, `nodejs22.x`
    private var prefix: String {
        switch self {
        case .python: "python3"
        case .node: "nodejs"
        }
    }

    /// The interpreter's name on the PATH.
    package var interpreter: String {
        switch self {
        case .python: "python3"
        case .node: "node"
        }
    }

    /// The arguments with which the interpreter prints its own path.
    package var askingForPath: [String] {
        switch self {
        case .python: ["-c", "import sys; print(sys.executable)"]
        case .node: ["-p", "process.execPath"]
        }
    }

    /// `inlineCode` is the template's inline code, which replaces a code folder.
    package func command(
        interpreter: String, inlineCode: String?, memoryMegabytes: Int
    ) -> [String] {
        let options: [String]
        let program: [UInt8]
        switch self {
        case .python: (options, program) = (["-c"], PackageResources.python_py)
        case .node:
            // Node.js would otherwise derive its heap limit from the machine's memory.
            let heap = max(64, memoryMegabytes * 3 / 4)
            (options, program) = (["--max-old-space-size=\(heap)", "-e"], PackageResources.node_js)
        }
        let arguments = inlineCode.map { [$0] } ?? []
        return [interpreter] + options + [String(decoding: program, as: UTF8.self)] + arguments
    }
}
