internal import Glibc
internal import TestSupport

/// A name server for one name, at port 53 of an address of this machine: `nameserver` in
/// resolv.conf(5) has no port.
package final class TestNameServer: Sendable {
    package struct Failure: Error {
        let call: String
        let code: Int32
    }

    package let address: String
    private let descriptor: Int32

    /// False without the permission to bind ports below 1024.
    package static var isPossible: Bool { (try? TestNameServer(resolving: "probe.test")) != nil }

    /// Answers 127.0.0.1 for `name`, and an empty response for any other name.
    package init(resolving name: String) throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var found: String?
        for _ in 0..<20 where found == nil {
            let parts = (0..<3).map { _ in Int.random(in: 1...254) }
            let candidate = "127.\(parts[0]).\(parts[1]).\(parts[2])"
            if Self.bind(descriptor, candidate) { found = candidate }
        }
        guard let found else {
            let code = errno
            close(descriptor)
            throw Failure(call: "bind", code: code)
        }
        address = found
        DetachedThread.run { [descriptor] in Self.serve(descriptor, name) }
    }

    deinit {
        // Also ends the thread's wait, which `close` alone does not.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private static func bind(_ descriptor: Int32, _ host: String) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func serve(_ descriptor: Int32, _ name: String) {
        var question = [UInt8](repeating: 0, count: 512)
        while true {
            var peer = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &question, question.count, 0, $0, &size)
                }
            }
            guard count > 0 else { return }
            guard let answer = answer(Array(question.prefix(count)), name) else { continue }
            _ = withUnsafePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, answer, answer.count, 0, $0, size)
                }
            }
        }
    }

    /// RFC 1035 section 4: the header, the question as received, and an address or no answer.
    private static func answer(_ query: [UInt8], _ name: String) -> [UInt8]? {
        let headerBytes = 12
        var position = headerBytes
        var labels: [String] = []
        while position < query.count, query[position] > 0 {
            let end = position + 1 + Int(query[position])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[(position + 1)..<end], as: UTF8.self))
            position = end
        }
        guard position + 5 <= query.count else { return nil }
        let isAddress = query[position + 1] == 0 && query[position + 2] == 1
        let isKnown = labels.joined(separator: ".").lowercased() == name
        let response: [UInt8] = [0x85, isKnown ? 0x80 : 0x83]
        var answer = Array(query[0..<2]) + response
        answer += [0, 1, 0, isKnown && isAddress ? 1 : 0, 0, 0, 0, 0]
        answer += query[headerBytes..<(position + 5)]
        if isKnown, isAddress {
            // A pointer to the name in the question, A, IN, 60 seconds, four bytes.
            answer += [0xC0, UInt8(headerBytes), 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]
        }
        return answer
    }
}
