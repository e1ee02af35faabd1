import Foundation

/// A proxy between a client and the Unix socket of a server, for one connection at a time, which
/// can lose a response: the server receives and answers the request, but the connection ends before
/// the response arrives.
final class SocketProxy: Sendable {
    /// The directory of its socket.
    let folder: String
    private let server: String
    private let listener: Int32
    private let losses = Mutex(0)

    /// - Parameters:
    ///   - server: the directory of the server's socket.
    ///   - folder: an empty directory.
    init(to server: String, in folder: String) throws {
        (self.server, self.folder) = (server, folder)
        listener = Self.socket()
        try #require(Self.with(folder) { bind(listener, $0, $1) } == 0 && listen(listener, 8) == 0)
        Thread.detachNewThread { [listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                self.serve(client)
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Loses the responses to the next requests.
    func loseAnswers(_ count: Int) { losses.withLock { $0 = count } }

    private func serve(_ client: Int32) {
        let upstream = Self.socket()
        defer {
            close(client)
            close(upstream)
        }
        guard Self.with(server, { connect(upstream, $0, $1) }) == 0 else { return }
        // A connection begins with a startup message, whose response is never lost.
        var isStarted = false
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var ends = [client, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ends, 2, -1) > 0 else { return }
            if ends[1].revents != 0 {
                let isLost =
                    isStarted
                    && losses.withLock { left in
                        defer { left = max(0, left - 1) }
                        return left > 0
                    }
                let count = read(upstream, &bytes, bytes.count)
                guard count > 0, !isLost, write(client, bytes, count) == count else { return }
            }
            if ends[0].revents != 0 {
                let count = read(client, &bytes, bytes.count)
                guard count > 0, write(upstream, bytes, count) == count else { return }
                // `P` begins a message that parses a statement; the startup message has no type.
                isStarted = isStarted || bytes[0] == UInt8(ascii: "P")
            }
        }
    }

    private static func socket() -> Int32 {
        Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func with(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: Array("\(folder)/.s.PGSQL.5432".utf8).prefix(path.count - 1))
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
