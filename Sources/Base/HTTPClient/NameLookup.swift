internal import Glibc
internal import Synchronization
internal import Threads

/// Whether this machine finds an address for a name, within a time limit, because the resolver
/// itself has none.
package enum NameLookup {
    private static let pollMicroseconds: UInt32 = 20_000

    package static func finds(_ host: String, within seconds: Int) -> Bool {
        let answer = Answer()
        guard PosixThread.detached({ answer.isFound.withLock { $0 = lookUp(host) } }) else {
            return lookUp(host)
        }
        for _ in 0..<(seconds * 1_000_000 / Int(pollMicroseconds)) {
            if let isFound = answer.isFound.withLockIfAvailable({ $0 }) ?? nil { return isFound }
            usleep(pollMicroseconds)
        }
        return false
    }

    private final class Answer: Sendable {
        let isFound = Mutex<Bool?>(nil)
    }

    private static func lookUp(_ host: String) -> Bool {
        var found: UnsafeMutablePointer<addrinfo>?
        defer { if let found { freeaddrinfo(found) } }
        return getaddrinfo(host, nil, nil, &found) == 0
    }
}
