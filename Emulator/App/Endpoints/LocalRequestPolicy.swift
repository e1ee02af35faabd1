internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase

/// Protects against web pages in the developer's browser: they must not read the mailbox or mint
/// tokens by DNS rebinding, nor use AWS services without a signature by cross-site requests (CSRF).
/// `ControlAccess` has more rules for the controls.
enum LocalRequestPolicy {
    static let refusal = ServerResponse.error(
        403, "Forbidden: only for requests from this machine, by a local host name.")

    /// Whether an unsigned request to an AWS service is admitted.
    static func admits(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard isNamed(request, options) else { return false }
        guard let origin = request.header("origin") else { return true }
        return Authority(origin: origin).map { isLocal($0.host) } ?? false
    }

    /// Whether the request comes from a page of one of the emulator's origins, served by a
    /// function, an object or the playground.
    static func isOfServedPage(_ request: ServerRequest, _ addresses: EmulatorAddresses) -> Bool {
        if request.header("sec-fetch-site") == "same-origin" { return true }
        guard let port = request.header("origin").flatMap(Authority.init(origin:))?.port else {
            return false
        }
        return [
            addresses.appPort, addresses.awsPort, addresses.tls?.app, addresses.tls?.aws,
            addresses.playgroundPort,
        ].contains(port)
    }

    /// The rule for endpoints that pages of other origins may call, such as sign-in.
    static func isNamed(_ request: ServerRequest, _ options: ServeOptions) -> Bool {
        guard let name = hostname(request) else { return false }
        if isLocal(name) { return true }
        // Another machine must use an IP address or a listed name: any other site could let its own
        // name resolve to this machine (DNS rebinding). Without `--host` no other machine is
        // admitted.
        return options.host == .everywhere
            && (IPAddress(four: name) != nil || options.names.contains(name))
    }

    /// The host of the requested address, without its port; nil if the header is malformed.
    static func hostname(_ request: ServerRequest) -> String? {
        request.header("host").flatMap { Authority($0) }?.host
    }

    private static func isLocal(_ name: String) -> Bool {
        IPAddress(four: name)?.bytes[0] == 127
            || name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
    }
}

/// `host` or `host:port` (RFC 3986 section 3.2), without user information: the value of `Host`, and
/// the part of `Origin` after the scheme.
private struct Authority {
    /// The host in lower case; an IPv6 address has brackets.
    let host: String
    let port: UInt16?

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let isAddressOfSix = bytes.first == UInt8(ascii: "[")
        let host: ArraySlice<UInt8>
        if isAddressOfSix {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[...end]
        } else {
            host = bytes.prefix { $0 != UInt8(ascii: ":") }
        }
        guard !host.isEmpty, host.allSatisfy({ isAddressOfSix || Self.isInName($0) }) else {
            return nil
        }
        self.host = String(decoding: host, as: UTF8.self).asciiLowercased
        let rest = bytes[host.endIndex...]
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), !digits.isEmpty, digits.allSatisfy(\.isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.port = port
    }

    /// The origin of a web page (RFC 6454 section 6.2). The port is nil if it is the scheme's
    /// default.
    init?(origin: String) {
        guard let mark = origin.utf8.firstOccurrence(of: "://") else { return nil }
        self.init(String(origin[mark.upperBound...]))
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._".utf8.contains(byte)
    }
}
