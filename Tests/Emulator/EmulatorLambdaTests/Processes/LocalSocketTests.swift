import EmulatorLambda
import Glibc
import TestSupport

/// The process that has the client's end of a connection open.
@Suite("Owners of sockets")
struct LocalSocketTests {
    /// A listening socket and its port.
    private func listening() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, pointer, &size) == 0
            }
        }
        try #require(isListening)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection, and the port of its client.
    private func accepted(_ listener: Int32) throws -> (descriptor: Int32, port: UInt16) {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(listener, $0, &size) }
        }
        try #require(descriptor >= 0)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    @Test(
        arguments: [
            "exec 3<>/dev/tcp/127.0.0.1/PORT; sleep 60",
            "(exec 3<>/dev/tcp/127.0.0.1/PORT; sleep 60); true",
        ])
    func `a process or its child owns the socket that it opened`(script: String) throws {
        let (listener, port) = try listening()
        defer { close(listener) }
        let supervisor = try ProcessSupervisor()
        defer { supervisor.stop() }
        func start(_ script: String) -> ManagedProcess {
            supervisor.start(
                ProcessConfiguration(
                    ["/bin/bash", "-c", script], environment: [("PATH", "/usr/bin:/bin")],
                    output: { _ in }, ended: { _ in }))
        }
        let other = start("sleep 60")
        let process = start(script.replacing("PORT", with: "\(port)"))
        let (connection, clientPort) = try accepted(listener)
        defer { close(connection) }
        let socket = try #require(LocalSocket(clientPort: clientPort, serverPort: port))
        // A start is asynchronous.
        for _ in 0..<10_000 where other.pid == nil || process.pid == nil { usleep(1_000) }
        let processes = [other.pid, process.pid].compactMap(\.self)
        try #require(processes.count == 2)
        expectEqual(socket.owner(among: processes) ?? socket.ancestor(among: processes), 1)
        expectEqual(socket.owner(among: [processes[0]]), nil)
        expectEqual(socket.ancestor(among: [processes[0]]), nil)
        #expect(socket.owner(among: []) == nil && socket.ancestor(among: []) == nil)
        #expect(LocalSocket(clientPort: port, serverPort: clientPort) != nil)
        #expect(LocalSocket(clientPort: clientPort, serverPort: port ^ 1) == nil)
    }
}
