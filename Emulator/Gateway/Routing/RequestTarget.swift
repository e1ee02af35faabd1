internal import Bytes
internal import EmulatorBase

/// The target of a request, split but not decoded.
struct RequestTarget: Sendable {
    /// The path with its leading slash.
    var path: String
    /// The text after the first `?`.
    var query: String

    init(parsing target: String) {
        var rest = target
        // RFC 9112 section 3.2.2: servers must accept the absolute form.
        for scheme in ["http://", "https://"] where rest.asciiLowercased.has(prefix: scheme) {
            let behind = rest.dropping(prefix: scheme).utf8
            let start = behind.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            rest = start.map { String(Substring(behind[$0...])) } ?? "/"
        }
        let (path, query) = rest.halves(at: "?")
        self.path = path.has(prefix: "/") ? path : "/" + path
        self.query = query ?? ""
    }

    init(path: String, query: String) {
        self.path = path
        self.query = query
    }

    /// The path after `prefix`, if the path begins with the prefix as whole segments.
    func path(behind prefix: String) -> String? {
        guard path.has(prefix: prefix) else { return nil }
        let rest = path.dropping(prefix: prefix)
        guard !rest.isEmpty else { return "/" }
        return rest.has(prefix: "/") ? rest : nil
    }
}
