internal import Bytes
package import FunctionRuntime
package import HTML

/// The connection of a browser that keeps no cookie with `Secure`: over HTTP, from another machine
/// (RFC 6265bis section 5.7).
package struct PlainConnection {
    /// The server's name and port, as the browser knows them.
    private let authority: String

    /// nil if the connection is encrypted, or if the browser is on the server's own machine. A proxy
    /// says how the browser reached it; a client that claims it deceives itself only.
    package init?(_ request: Request) {
        guard request.form == .http, let host = request.header("host") else { return nil }
        if let scheme = request.header("x-forwarded-proto")?.split(separator: ",").last {
            guard String(scheme.drop { $0 == " " }).asciiLowercased.isSame(as: "http") else {
                return nil
            }
        } else {
            guard request.isServedDirectly else { return nil }
        }
        authority = host
        guard !Self.isLoopback(name) else { return nil }
    }

    /// Browsers treat these as secure (Secure Contexts section 3.1).
    private static func isLoopback(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return name.isSame(as: "localhost") || name.hasSuffix(".localhost")
            || name.isSame(as: "[::1]") || name.hasPrefix("127.")
    }

    /// Without the port. The brackets of an IPv6 address stay.
    private var name: String {
        if let end = authority.utf8.lastIndex(of: UInt8(ascii: "]")) {
            return String(authority[...end])
        }
        return String(authority.prefix { $0 != ":" })
    }

    private var port: String {
        let rest = authority.dropFirst(name.count)
        return rest.isEmpty ? "80" : String(rest.dropFirst())
    }

    /// The command that makes the server reachable under `localhost`. It is typed into a shell, so a
    /// name with other characters than those of hosts is left out.
    package var tunnel: String {
        let isPlain = authority.utf8.allSatisfy { $0.isLetterOrDigit || "-.:[]".utf8.contains($0) }
        let host = isPlain ? name : "SERVER"
        let login = host.filter { $0 != "[" && $0 != "]" }
        return "ssh -L \(Self.localPort):\(host):\(isPlain ? port : "80") \(login)"
    }

    private static let localPort = "8080"

    /// What a page says before a password is typed.
    ///
    /// - Parameter path: of the page, with its query.
    package func note(for path: String) -> HTML {
        """
        <div class="says bad" role="alert"><p>This page came over HTTP without encryption, from \
        another machine. A password would be readable on the way, and this browser will not keep \
        the cookie of the sign-in. Do one of these first:</p>
        <p>On your own machine run<br><code>\(tunnel)</code><br>and open \
        <code>http://localhost:\(Self.localPort)\(path)</code>.</p>
        <p>Or put a proxy with HTTPS in front, and set <code>ISSUER</code> to its address and \
        <code>TRUSTED_HOPS=1</code>.</p></div>
        """
    }
}
