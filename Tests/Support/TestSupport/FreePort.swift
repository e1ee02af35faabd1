internal import Glibc
internal import Synchronization

/// A port on which nothing listens: for a server that cannot choose one itself, and for a client
/// whose connection should be refused.
package enum FreePort {
    /// Below the ports that Linux chooses (`ip_local_port_range`, from 32768), which other tests
    /// get for their servers and connections in the meantime.
    private static let range: Range<UInt16> = 20_000..<32_000
    private static let found = Mutex<Set<UInt16>>([])

    package static func find() throws -> UInt16 {
        while true {
            let port = UInt16.random(in: range)
            guard found.withLock({ $0.insert(port).inserted }) else { continue }
            do throws(LoopbackFailure) {
                close(try LoopbackSocket.listen(on: port).descriptor)
                return port
            } catch {
                guard error.code == EADDRINUSE else { throw error }
            }
        }
    }
}
