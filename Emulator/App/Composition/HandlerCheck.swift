internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda

/// Looks for the handler of an interpreted function in its source, so that a misspelt name is
/// reported at the start and not only at the first request. The names that a program defines are
/// only known when it runs, so this only reports a name that does not occur at all.
enum HandlerCheck {
    private static let fileBytesMax = 4 << 20

    /// nil if the handler may exist.
    static func problem(
        _ function: FunctionResource, _ language: LanguageRuntime
    ) -> String? {
        guard function.inlineCode == nil, Files.isDirectory(function.codePath),
            let dot = function.handler.lastIndex(of: ".")
        else { return nil }
        let module = String(function.handler[..<dot])
        let name = String(function.handler[function.handler.index(after: dot)...])
        let files = language.files(of: module)
        let folder = Files.absolute(function.codePath)
        guard let file = files.first(where: { Files.exists("\(folder)/\($0)") }) else {
            // A Python package is a folder.
            guard !Files.isDirectory("\(folder)/\(module.replacing(".", with: "/"))") else {
                return nil
            }
            let others = Files.entries(folder).map { String($0.prefix { $0 != "." }) }
            return "Handler \(function.handler): there is no \(files[0]) in \(folder)"
                + NearestName.hint(module, among: others)
        }
        guard let bytes = try? Files.read("\(folder)/\(file)", bytesMax: fileBytesMax) else {
            return nil
        }
        let words = Set(bytes.split { !isWord($0) }.map { String(decoding: $0, as: UTF8.self) })
        guard !words.contains(where: name.isSame), !takesOtherNames(bytes) else { return nil }
        return "Handler \(function.handler): \(file) has no \(name)"
            + NearestName.hint(name, among: words.sorted())
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    /// Whether the file may define names that do not occur in its text.
    private static func takesOtherNames(_ bytes: [UInt8]) -> Bool {
        ["import *", "export *", "module.exports = require", "globals()", "setattr("]
            .contains { bytes.contains(text: $0) }
    }
}

extension LanguageRuntime {
    fileprivate func files(of module: String) -> [String] {
        switch self {
        case .python: ["\(module.replacing(".", with: "/")).py"]
        case .node: ["js", "mjs", "cjs"].map { "\(module).\($0)" }
        }
    }
}
