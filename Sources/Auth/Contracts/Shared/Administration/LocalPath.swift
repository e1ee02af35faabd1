internal import Bytes
package import FunctionRuntime

/// A place on our own origin that a browser may be sent to: everything else becomes `/`, or the
/// login page would forward to any site (CWE-601).
package struct LocalPath: Equatable, Sendable {
    package static let bytesMax = 2048

    package let text: String

    /// Also for what names no place.
    var isRoot: Bool { text.isSame(as: "/") }

    /// Browsers read `//host` and `/\host` as another host, and leave out tabs and line ends before
    /// they look (URL Standard section 4.4).
    package init(_ raw: String?) {
        let bytes = Array((raw ?? "").utf8)
        let isLocal =
            bytes.count <= Self.bytesMax && bytes.first == UInt8(ascii: "/")
            && bytes.dropFirst().first != UInt8(ascii: "/")
            && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        text = isLocal ? raw ?? "/" : "/"
    }

    /// The page that a browser asked for. What is not a page cannot be gone back to.
    package init(of request: Request) {
        guard request.form == .http, request.method.isSame(as: "GET") else {
            self.init("/")
            return
        }
        let query = request.query.isEmpty ? "" : "?" + PercentEncoding.form(request.query)
        self.init(PercentEncoding.encodePath(request.path) + query)
    }
}
