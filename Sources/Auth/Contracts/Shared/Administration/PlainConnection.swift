internal import Bytes
package import FunctionRuntime
package import HTML

/// A plain HTTP connection from another machine. Over it, a browser does not store cookies with
/// `Secure` (RFC 6265bis section 5.7).
package struct PlainConnection {
    /// The server's name and port, as the browser knows them.
    private let authority: Authority

    /// nil if the connection is encrypted, or if the browser is on the server's own machine. A
    /// proxy states the browser's scheme in a header. If a client forges the header, it harms only
    /// itself.
    package init?(_ request: Request) {
        guard request.form == .http, let host = request.header("host") else { return nil }
        if let scheme = request.header("x-forwarded-proto")?.split(separator: ",").last {
            guard String(scheme.drop { $0 == " " }).asciiLowercased.isSame(as: "http") else {
                return nil
            }
        } else {
            guard request.isServedDirectly else { return nil }
        }
        authority = Authority(host)
        guard !authority.isLoopback else { return nil }
    }

    /// For an `ISSUER` with HTTPS, this is also nil at the issuer's own address or behind a proxy,
    /// if no header states the browser's scheme, because not every proxy that terminates TLS sends
    /// that header.
    package init?(_ request: Request, issuer: String) {
        self.init(request)
        if issuer.hasPrefix("https://"), request.header("x-forwarded-proto") == nil,
            request.header("x-forwarded-for") != nil
                || Authority(of: issuer).text.isSame(as: authority.text)
        {
            return nil
        }
    }

    /// The command that makes the server reachable under `localhost`. People copy it into a shell,
    /// so a name with unusual characters is replaced by `SERVER`.
    private func tunnel(from localPort: String) -> String {
        let host = authority.isPlain ? authority.name : "SERVER"
        let port = authority.isPlain ? authority.port ?? "80" : "80"
        let login = host.filter { $0 != "[" && $0 != "]" }
        return "ssh -L \(localPort):\(host):\(port) \(login)"
    }

    /// The port of an `ISSUER` on the server's own machine, so that the links in mails work, too.
    package static func localPort(_ issuer: String) -> String {
        let standard = "8080"
        guard issuer.hasPrefix("http://") else { return standard }
        return Authority(of: issuer).port ?? standard
    }

    /// The warning on a page with a password field.
    ///
    /// - Parameter path: the path of the page, with its query.
    package func note(for path: String, issuer: String, in language: PageLanguage) -> HTML {
        let texts = AdminSignInText.texts(in: language)
        let port = Self.localPort(issuer)
        let tunnel = texts.html(
            .plainTunnel,
            [
                ("command", "<br><code>\(tunnel(from: port))</code><br>"),
                ("address", "<code>http://localhost:\(port)\(path)</code>"),
            ])
        let proxy = texts.html(
            .plainProxy,
            [("issuer", "<code>ISSUER</code>"), ("hops", "<code>TRUSTED_HOPS=1</code>")])
        return """
            <div class="says bad" role="alert"><p>\(texts(.plainAbout))</p>
            <p>\(tunnel)</p>
            <p>\(proxy)</p></div>
            """
    }
}
