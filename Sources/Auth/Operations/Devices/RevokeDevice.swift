package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Removes a device of the user, and ends its sessions. A later sign-in on it counts as one on
    /// a new device.
    package func revokeDevice(
        _ id: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        let user = principal.user
        let history = try history(of: user)
        guard let device = history.devices.first(where: { $0.id.text.utf8.elementsEqual(id.utf8) })
        else { throw .device(.notFound) }
        let sessions = history.sessions.filter { $0.origin.device == device.id }
        // The row is deleted last, so that an interrupted request can be repeated.
        let deletions: [Write] =
            sessions.map { .delete(StoreLayout.session($0.id, of: user.id), when: []) }
            + [.delete(StoreLayout.device(device.id, of: user.id), when: [])]
        var audit = audit(.account(user.id), principal.auditHead)
        // The event and the end of its chain are two writes.
        let chunk = StoreLimits.writesPerTransactionMax - 2
        for start in stride(from: 0, to: deletions.count, by: chunk) {
            audit.record(
                .deviceRevoked, session: principal.session.id, caller, at: clock.now())
            let part = Array(deletions[start..<min(start + chunk, deletions.count)])
            guard try commit(part, &audit) else { throw .unavailable(.contention) }
        }
    }
}

extension AuthOperation {
    package static let revokeDevice = AuthOperation(
        "revokeDevice", servedBy: "devices", audited: .caller)
}
