internal import Glibc

/// The addresses under which other machines reach a socket.
package enum MachineAddresses {
    /// The addresses, IPv4 first, without loopback and link-local addresses. As in a URL, IPv6 has
    /// brackets.
    package static func of(_ address: ListenAddress) -> [String] {
        switch address {
        case .ipv4(let host, _) where host.utf8.elementsEqual("0.0.0.0".utf8):
            all().filter { !$0.hasPrefix("[") }
        case .ipv6(let host, _) where host.utf8.elementsEqual("::".utf8): all()
        case .everyAddress: all()
        case .ipv4(let host, _): isLocal(host) ? [] : [host]
        case .ipv6(let host, _): isLocal(host) ? [] : ["[\(host)]"]
        case .unix, .descriptor: []
        }
    }

    private static func all() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: (ipv4: [String], ipv6: [String]) = ([], [])
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    SocketName.text(AF_INET, &$0.pointee.sin_addr)
                }
                if !isLocal(text) { found.ipv4.append(text) }
            case AF_INET6:
                let text = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    SocketName.text(AF_INET6, &$0.pointee.sin6_addr)
                }
                if !isLocal(text) { found.ipv6.append("[\(text)]") }
            default: break
            }
        }
        return found.ipv4 + found.ipv6
    }

    /// Whether the address is loopback or link-local (RFC 3927, RFC 4291 section 2.5.6). URLs with
    /// a link-local address need a zone.
    private static func isLocal(_ host: String) -> Bool {
        host.utf8.elementsEqual("::1".utf8)
            || ["127.", "169.254.", "fe80:"].contains { host.hasPrefix($0) }
    }
}
