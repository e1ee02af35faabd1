internal import Bytes
internal import EmulatorHTTP
internal import EmulatorIAM
internal import EmulatorServer

/// Protects against web pages in the developer's browser: by DNS rebinding they must not read the
/// mailbox or mint tokens, nor by cross-site requests (CSRF) use AWS services without a signature.
/// For the controls, `ControlAccess` says more.
enum LocalRequestPolicy {
    static let refusal = ServerResponse.error(
        403, "Forbidden: only for requests from this machine, by a local host name.")

    /// For unsigned requests to AWS services.
    static func admits(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard isNamed(request, options) else { return false }
        guard let origin = request.header("origin") else { return true }
        guard let mark = origin.utf8.firstOccurrence(of: "://") else { return false }
        return isLocal(hostname(of: String(origin[mark.upperBound...])))
    }

    /// Whether it comes from a page of one of our own origins, as a function or an object serves
    /// it.
    static func isOfServedPage(_ request: ServerRequest, _ addresses: EmulatorAddresses) -> Bool {
        if request.header("sec-fetch-site") == "same-origin" { return true }
        guard let origin = request.header("origin") else { return false }
        let ports = [
            addresses.appPort, addresses.awsPort, addresses.tls?.app, addresses.tls?.aws,
        ]
        return ports.contains { port in port.map { origin.hasSuffix(":\($0)") } ?? false }
    }

    /// For endpoints that pages of other origins may call, such as sign-in.
    static func isNamed(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard let name = hostname(request) else { return false }
        // Other machines use an IP address: a host name could be subject to DNS rebinding.
        return isLocal(name) || options.host == .everywhere && IPAddress(four: name) != nil
    }

    /// The host of the address that was asked, without its port.
    static func hostname(_ request: ServerRequest) -> String? {
        request.header("host").map(hostname)
    }

    private static func hostname(of authority: String) -> String {
        let isAddressOfSix = authority.utf8.first == UInt8(ascii: "[")
        let end = UInt8(ascii: isAddressOfSix ? "]" : ":")
        let name = String(Substring(authority.utf8.prefix { $0 != end })).asciiLowercased
        return isAddressOfSix ? name + "]" : name
    }

    private static func isLocal(_ name: String) -> Bool {
        IPAddress(four: name)?.bytes[0] == 127
            || name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
    }
}
