internal import HTTPServer

/// The sockets of a server. They are opened before anything is created, because another program may
/// already have the address.
struct ServerSockets {
    let listeners: [Listener]
    let metrics: Listener?

    /// - Parameter arguments: the arguments. A proposed remedy uses the same form.
    init(
        _ addresses: [ListenAddress], metrics: ListenAddress?, _ arguments: [String]
    ) throws(StartFailure) {
        var listeners: [Listener] = []
        for address in addresses {
            listeners.append(try Self.open(address, Self.remedy(address, arguments)))
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

    /// The hosts under which other machines reach the server.
    var networkHosts: [String] {
        listeners.first.flatMap { ListenAddress($0.address) }.map(MachineAddresses.of) ?? []
    }

    private static func remedy(_ address: ListenAddress, _ arguments: [String]) -> String {
        guard let typed = arguments.first, let other = address.onNextPort else {
            return "choose another"
        }
        let form = typed.utf8.elementsEqual("serve".utf8) ? "serve" : "--listen"
        return "choose another, such as \(form) \(other.text)"
    }

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
