internal import Bytes
package import FunctionRuntime

/// The client's address. `X-Forwarded-For` is untrusted: only as many of its last entries are used
/// as there are trusted proxies (ASVS 4.1.3).
package struct ClientAddress: Sendable {
    package static let hopsMax: Int64 = 8

    private let trustedHops: Int

    package init(trustedHops: Int) { self.trustedHops = trustedHops }

    package func of(_ request: Request) -> String? {
        let peer = request.sourceAddress
        guard trustedHops > 0, let header = request.header("x-forwarded-for") else { return peer }
        var hops = Self.lastHops(of: header, count: trustedHops + 1)
        // A gateway appends its peer's address to the header. The built-in server (`--listen`) does
        // not, so there an entry equal to the peer is a client at the proxy's own address. A
        // watchdog does not know the peer, so its last entry is the one that the nearest proxy
        // added.
        if let peer,
            !request.forwardsSourceAddress
                || hops.last.map({ $0.utf8.elementsEqual(peer.utf8) }) != true
        {
            hops.append(peer)
        }
        let index = hops.count - (peer == nil ? 0 : 1) - trustedHops
        guard index >= 0, let address = Self.withoutPort(hops[index]), Self.isAddress(address)
        else { return peer }
        return address
    }

    /// The last entries, in order. Earlier ones are not trusted and not parsed.
    private static func lastHops(of header: String, count: Int) -> [String] {
        var hops: [String] = []
        var rest = header[...]
        while hops.count < count, !rest.isEmpty {
            let comma = rest.utf8.lastIndex(of: UInt8(ascii: ","))
            let entry = comma.map { rest[rest.utf8.index(after: $0)...] } ?? rest
            rest = comma.map { rest[..<$0] } ?? ""
            guard !entry.isEmpty else { continue }
            hops.append(String(entry.drop { $0 == " " }.prefix { $0 != " " }))
        }
        return hops.reversed()
    }

    /// Some load balancers write `192.0.2.1:51234` and `[2001:db8::1]:51234`: the port is removed,
    /// because otherwise every connection would count as another client.
    private static func withoutPort(_ text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            return String(text[..<end].dropFirst())
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : text
    }

    private static func isAddress(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
            && text.utf8.allSatisfy { byte in
                byte.isHexDigit || byte == 0x2E || byte == 0x3A
            }
    }
}
