internal import CCurl
internal import Glibc
package import HTTP

/// The address to which libcurl is about to connect, after it has resolved the name. There is no
/// second look-up that could give another address (DNS rebinding).
package struct ConnectedAddress: Equatable, Sendable {
    /// 4 or 16 bytes; empty if the address is neither IPv4 nor IPv6.
    private let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        // An IPv4 address in the form of an IPv6 one.
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes =
            bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    package var isLoopback: Bool {
        switch bytes.count {
        case 4: bytes[0] == 127
        case 16: bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        default: false
        }
    }

    /// Whether the address is globally reachable.
    package var isPublic: Bool {
        switch bytes.count {
        case 4: !Self.special4.contains { Self.matches(bytes, $0.0, bits: $0.1) }
        // 2000::/3 without its special-purpose blocks.
        case 16:
            bytes[0] >> 5 == 1 && !Self.special6.contains { Self.matches(bytes, $0.0, bits: $0.1) }
        default: false
        }
    }

    package func isWithin(_ reach: HTTPReach) -> Bool {
        switch reach {
        case .anywhere: true
        case .internet: isPublic
        case .internetOrLoopback: isPublic || isLoopback
        }
    }

    /// RFC 6890 and its registry.
    private static let special4: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12),
        ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16),
        ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]
    private static let special6: [([UInt8], Int)] = [
        // Teredo, benchmarks, ORCHID, documentation, 6to4.
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
        ([0x3F, 0xFF, 0x00], 20),
    ]

    private static func matches(_ bytes: [UInt8], _ prefix: [UInt8], bits: Int) -> Bool {
        for index in 0..<((bits + 7) / 8) {
            let kept = min(8, bits - 8 * index)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            let wanted = index < prefix.count ? prefix[index] : 0
            if bytes[index] & mask != wanted & mask { return false }
        }
        return true
    }
}

extension ConnectedAddress {
    init(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
            }
            self.init(bytes: bytes)
        case AF_INET6:
            let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
            self.init(bytes: bytes)
        default: self.init(bytes: [])
        }
    }

    /// Opens the socket of a connection, unless the request must not connect to the address.
    static let openPublic: curl_opensocket_callback = { _, _, address in
        open(address, within: .internet)
    }
    static let openPublicOrLoopback: curl_opensocket_callback = { _, _, address in
        open(address, within: .internetOrLoopback)
    }

    private static func open(
        _ address: UnsafeMutablePointer<curl_sockaddr>?, within reach: HTTPReach
    ) -> curl_socket_t {
        guard let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
            return CURL_SOCKET_BAD
        }
        // The address is read in place, because an IPv6 address is longer than the declared type.
        let raw = UnsafeRawPointer(address) + offset
        guard ConnectedAddress(raw.assumingMemoryBound(to: sockaddr.self)).isWithin(reach) else {
            return CURL_SOCKET_BAD
        }
        return socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }
}
