internal import Bytes
internal import Glibc

/// The name and the addresses of this machine.
package enum ThisMachine {
    private static let nameBytesMax = 255

    /// The machine's name in lower case, without its domain; empty if it is unknown.
    package static var name: String {
        var buffer = [CChar](repeating: 0, count: nameBytesMax + 1)
        guard gethostname(&buffer, nameBytesMax) == 0 else { return "" }
        // `char` is signed on x86-64 only.
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        return String(String(decoding: bytes, as: UTF8.self).prefix { $0 != "." }).asciiLowercased
    }

    /// The IPv4 addresses of its interfaces that are up, in order.
    package static var addresses: [[UInt8]] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [[UInt8]] = []
        var next = first
        while let interface = next {
            next = interface.pointee.ifa_next
            guard let address = interface.pointee.ifa_addr,
                Int32(address.pointee.sa_family) == AF_INET,
                Int(interface.pointee.ifa_flags) & Int(IFF_UP) != 0
            else { continue }
            let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            found.append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
