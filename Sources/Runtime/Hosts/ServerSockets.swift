internal import HTTPServer

/// The sockets of a server. They are opened before anything is created: another program may have
/// the address.
struct ServerSockets {
    let listeners: [Listener]
    let metrics: Listener?

    init(_ addresses: [ListenAddress], metrics: ListenAddress?) throws(StartFailure) {
        var listeners: [Listener] = []
        for address in addresses {
            listeners.append(try Self.open(address, "choose another, such as --listen :8081"))
        }
        self.listeners = listeners
        if let metrics {
            self.metrics = try Self.open(metrics, "choose another with METRICS_LISTEN")
        } else {
            self.metrics = nil
        }
    }

    /// nil without a TCP port.
    var port: UInt16? { listeners.first?.port }

    private static func open(
        _ address: ListenAddress, _ remedy: String
    ) throws(StartFailure) -> Listener {
        do {
            return try Listener(address)
        } catch {
            throw StartFailure(
                problems: ["cannot listen at \(address.text): \(error.message); \(remedy)"])
        }
    }
}
