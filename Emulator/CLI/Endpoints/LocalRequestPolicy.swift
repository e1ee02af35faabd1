internal import EmulatorServer

/// Keeps web pages away from the emulator's own controls: a page that a developer looks at must
/// not read their mailbox or mint tokens, neither by a form nor by a name that it makes resolve to
/// 127.0.0.1. The same holds for AWS services that are called without a signature.
enum LocalRequestPolicy {
    static let refusal = ServerResponse.error(
        403, "This part of the emulator is for this machine, under its own name, alone.")

    static func admits(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard isNamed(request, options) else { return false }
        guard let origin = request.header("origin") else { return true }
        guard let mark = origin.range(of: "://") else { return false }
        return isLocal(hostname(of: String(origin[mark.upperBound...])))
    }

    /// For what pages of other origins may call: apps sign in from where they are.
    static func isNamed(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard let name = request.header("host").map(hostname) else { return false }
        // Others come by an address: a name may be a web page's own, made to lead here.
        return isLocal(name) || options.host == .everywhere && isAddress(name)
    }

    private static func hostname(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.prefix { $0 != "]" }) + "]" }
        return String(authority.prefix { $0 != ":" }).lowercased()
    }

    private static func isLocal(_ name: String) -> Bool {
        name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
            || isLoopbackAddress(name)
    }

    private static func isLoopbackAddress(_ name: String) -> Bool {
        name.hasPrefix("127.") && isAddress(name)
    }

    private static func isAddress(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension String {
    /// Of an ASCII text in this one.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let view = utf8
        var start = view.startIndex
        while start != view.endIndex {
            if view[start...].starts(with: text.utf8) {
                return start..<view.index(start, offsetBy: text.utf8.count)
            }
            start = view.index(after: start)
        }
        return nil
    }
}
