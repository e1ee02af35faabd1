internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorThirdParties
internal import JSON

/// The controls that the playground's page may use, on its own port: it reads the requests to its
/// servers, and makes them fail.
struct PlaygroundControls {
    let services: EmulatorServices

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        if let refusal = services.controlAccess.refusalOnOwnPort(request) {
            return slot.respondAlways(refusal)
        }
        let path = request.path.dropFirst(ControlAPI.prefix.utf8.count)
        switch (request.method, path) {
        case ("GET", "received"), ("GET", "received/wait"):
            services.receiver.handle(request, slot)
        case ("POST", "faults") where isOfReceiver(request.body):
            slot.respondAlways(services.faultAPI.answer("POST", ["faults"], request.body))
        default: slot.respondAlways(.error(404, "Not found."))
        }
    }

    private func isOfReceiver(_ fault: [UInt8]) -> Bool {
        let match = (try? JSON.parse(fault, limits: .request))?["match"]
        return match?["service"]?.stringValue == "receiver"
    }
}
