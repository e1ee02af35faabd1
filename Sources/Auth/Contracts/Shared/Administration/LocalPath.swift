internal import Bytes
package import FunctionRuntime

/// A path on the server's own origin for redirects. Everything else becomes `/`: otherwise the
/// login page would be an open redirect (CWE-601).
package struct LocalPath: Equatable, Sendable {
    package static let bytesMax = 2048

    package let text: String

    /// Whether this is the root path; also true if the text was not a local path.
    var isRoot: Bool { text.isSame(as: "/") }

    /// Browsers parse `//host` and `/\host` as another host, and remove tabs and newlines before
    /// parsing (URL Standard section 4.4).
    package init(_ raw: String?) {
        let bytes = Array((raw ?? "").utf8)
        let isLocal =
            bytes.count <= Self.bytesMax && bytes.first == UInt8(ascii: "/")
            && bytes.dropFirst().first != UInt8(ascii: "/")
            && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        text = isLocal ? raw ?? "/" : "/"
    }

    /// The page that a browser requested; `/` for requests other than GET.
    package init(of request: Request) {
        guard request.form == .http, request.method.isSame(as: "GET") else {
            self.init("/")
            return
        }
        let query = request.query.isEmpty ? "" : "?" + PercentEncoding.form(request.query)
        self.init(PercentEncoding.encodePath(request.path) + query)
    }
}
