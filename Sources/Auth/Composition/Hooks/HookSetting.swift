package import AuthOperations
internal import Bytes
internal import IdentityProviders

/// One hook of the setting `HOOKS`, such as `beforeSignIn=function:check`.
package struct HookSetting: Equatable, Sendable {
    package enum Target: Equatable, Sendable {
        /// The name or the ARN of a Lambda function.
        case function(String)
        /// The absolute path of an executable, which is run without arguments and without a shell.
        case process(String)
        case url(String)
    }

    package let kind: HookKind
    /// Whether the operation continues if the hook fails: `beforeSignIn?=…`.
    package let failsOpen: Bool
    package let target: Target

    private static let settingBytesMax = 4096
    private static let targetBytesMax = 1024

    /// The valid hooks in their order, and the problems of the other entries. A problem never
    /// contains a target: a URL may hold a secret.
    package static func parse(_ text: String) -> (hooks: [HookSetting], problems: [String]) {
        guard text.utf8.count <= settingBytesMax else {
            return ([], ["HOOKS has more than \(settingBytesMax) bytes"])
        }
        var hooks: [HookSetting] = []
        var problems: [String] = []
        let entries = text.split(separator: ",", omittingEmptySubsequences: false)
        for (index, entry) in entries.enumerated() {
            do throws(Problem) {
                let hook = try parse(entry: entry)
                if hooks.contains(where: { $0.kind == hook.kind }) {
                    throw Problem(text: "\(hook.kind.rawValue) is named twice")
                }
                hooks.append(hook)
            } catch {
                problems.append("HOOKS, entry \(index + 1): \(error.text)")
            }
        }
        return (hooks, problems)
    }

    private struct Problem: Error { let text: String }

    private static func parse(entry: Substring) throws(Problem) -> HookSetting {
        guard let equals = entry.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw Problem(text: "must be <hook>=<target>")
        }
        var name = entry[..<equals]
        let failsOpen = name.utf8.last == UInt8(ascii: "?")
        if failsOpen { name = name.dropLast() }
        guard let kind = HookKind.allCases.first(where: { $0.rawValue.isSame(as: String(name)) })
        else {
            let names = HookKind.allCases.map(\.rawValue)
            // Only a plain word is shown in the message: an entry in another form may hold a
            // secret.
            guard !name.isEmpty, name.utf8.allSatisfy(\.isLetter) else {
                throw Problem(text: "the hook must be one of \(names.joined(separator: ", "))")
            }
            throw Problem(text: NearestName.refusal(String(name), among: names))
        }
        guard !failsOpen || kind.canBeSkipped else {
            throw Problem(
                text: "\(kind.rawValue) is repeated until it succeeds: it cannot have a ?")
        }
        guard let target = target(entry[entry.utf8.index(after: equals)...]) else {
            throw Problem(
                text: "the target of \(kind.rawValue) must be function:<name or ARN>, "
                    + "process:<absolute path> or an https URL (http only for this machine)")
        }
        return HookSetting(kind: kind, failsOpen: failsOpen, target: target)
    }

    private static func target(_ text: Substring) -> Target? {
        guard text.utf8.count <= targetBytesMax,
            text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return nil }
        if let name = text.after("function:") {
            // The names and ARNs of Lambda's Invoke have at most 170 characters.
            let isValid = name.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F || byte == 0x3A
            }
            return isValid && (1...170).contains(name.utf8.count) ? .function(String(name)) : nil
        }
        if let path = text.after("process:") {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            let isPlain = parts.dropFirst().allSatisfy { !["", ".", ".."].contains($0) }
            let isAbsolute = path.utf8.first == UInt8(ascii: "/")
            return isAbsolute && isPlain ? .process(String(path)) : nil
        }
        return ProviderURL(String(text), allowsPlainHTTP: false).map { .url($0.text) }
    }
}

extension Substring {
    fileprivate func after(_ prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8) ? dropFirst(prefix.count) : nil
    }
}
