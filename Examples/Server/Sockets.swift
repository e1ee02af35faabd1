import Glibc

/// A socket that listens on this machine.
struct ListeningSocket {
    private let descriptor: Int32
    let port: UInt16

    /// - Parameter port: 0 for any free port.
    init?(on port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else { return nil }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// nil if the socket can no longer be used.
    func accept() -> Connection? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        return accepted < 0 ? nil : Connection(descriptor: accepted)
    }
}

struct Connection {
    let descriptor: Int32
    private static let headBytesMax = 32 << 10

    /// nil if the received bytes are not a request, or are too many or too slow.
    func readHead() -> RequestHead? {
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.headBytesMax {
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                return RequestHead(text[..<end.lowerBound])
            }
        }
        return nil
    }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}

/// The header fields of a request.
struct RequestHead {
    private var fields: [String: String] = [:]

    /// nil if a field is malformed, or the header `Authorization` occurs twice.
    init?(_ text: Substring) {
        for line in text.split(separator: "\r\n").dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            guard fields.updateValue(String(value), forKey: name) == nil || name != "authorization"
            else { return nil }
        }
    }

    subscript(name: String) -> String? { fields[name] }
}
