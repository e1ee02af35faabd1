internal import EmulatorBase
internal import EmulatorThirdParties

/// Port 8002: the dashboard, the control API and the mailbox, on an origin that no function and no
/// object shares.
struct ControlEndpoint: Sendable {
    let services: EmulatorServices
    let control: ControlAPI

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        if let refusal = services.controlAccess.refusalOnOwnPort(request) {
            return slot.respondAlways(refusal)
        }
        let path = request.path
        if MailService.serves(path: path) { return services.mail.handle(request, slot) }
        let dashboard = DashboardEndpoint()
        if DashboardEndpoint.serves(path: path) {
            return slot.respondAlways(dashboard.file(request))
        }
        let isRoot = ["/", ControlAPI.prefix.dropLast(), ControlAPI.prefix[...]].contains(path)
        if isRoot, request.asksForHTML { return slot.respondAlways(dashboard.page(request)) }
        guard path == "/" || ControlAPI.serves(path: path) else {
            return slot.respondAlways(
                .error(
                    404,
                    "Not found: this port has the controls, at \(ControlAPI.prefix); the app is at "
                        + "\(services.addresses.appURL)."))
        }
        control.handle(request, slot)
    }
}
