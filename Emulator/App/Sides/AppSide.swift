internal import EmulatorGateway
internal import EmulatorServer

/// Port 8000: the template's routes, and beside them what an app meets in the world.
struct AppSide: Sendable {
    let world: World
    let control: ControlAPI

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        let path = request.path
        if path.utf8.starts(with: ControlAPI.prefix.utf8) {
            guard LocalOnly.admits(request, world.options) else {
                slot.respond(LocalOnly.refusal)
                return
            }
            return control.handle(request, slot)
        }
        guard let stack = world.stack else {
            slot.respond(.error(503, "The emulator is starting."))
            return
        }
        stack.gateway.handle(GatewayRequest(request)) { slot.respond(ServerResponse($0)) }
    }
}
