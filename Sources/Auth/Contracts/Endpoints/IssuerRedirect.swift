internal import Bytes
internal import FunctionRuntime

/// Where a browser is sent if it opens a page at a loopback address, such as `127.0.0.1`, of a
/// server with an `ISSUER` at `localhost`. At an IP address there are no passkeys (Web
/// Authentication Level 3 section 5.1.2). Mailed links would open the other host, which has other
/// cookies.
enum IssuerRedirect {
    /// nil: the page is shown at the address that was opened.
    static func location(of request: Request, issuer: String) -> String? {
        guard request.isServedDirectly, request.method.isSame(as: "GET"),
            issuer.hasPrefix("http://"), let host = request.header("host").map({ Authority($0) })
        else { return nil }
        let own = Authority(of: issuer)
        let isAddress = !host.name.hasSuffix("localhost")
        guard own.name.isSame(as: "localhost"), host.isLoopback, isAddress, host.port == own.port
        else { return nil }
        let path = LocalPath(of: request)
        guard !path.isRoot || request.path.isSame(as: "/") else { return nil }
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + path.text
    }
}
