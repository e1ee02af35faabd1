package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Removes a device of the user, and ends its sessions. A later sign-in on it counts as a
    /// sign-in on a new device.
    package func revokeDevice(
        _ id: String, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        let history = try history(of: principal.user)
        guard let device = history.devices.first(where: { $0.id.text.utf8.elementsEqual(id.utf8) })
        else { throw .device(.notFound) }
        let sessions = try history.sessions()
        var audit = audit(.account(principal.user.id), principal.auditHead)
        try revoke(device, among: sessions, &audit, principal, caller)
    }

    /// Removes every device of the user except the device of this session, and ends the sessions of
    /// the removed devices.
    package func revokeOtherDevices(
        _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        let history = try history(of: principal.user)
        let sessions = try history.sessions()
        var audit = audit(.account(principal.user.id), principal.auditHead)
        for device in history.devices where device.id != principal.session.origin.device {
            try revoke(device, among: sessions, &audit, principal, caller)
        }
    }

    private func revoke(
        _ device: Device, among sessions: [Session], _ audit: inout AuditTrail,
        _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        let user = principal.user
        let sessions = sessions.filter { $0.origin.device == device.id }
        // The row is deleted last, so that an interrupted request can be repeated.
        let deletions: [Write] =
            sessions.map { deletion(of: $0) }
            + [.delete(StoreLayout.device(device.id, of: user.id), when: [])]
        // Notifying clients of a session's end takes another write.
        let told = sessions.contains { !$0.notifies.isEmpty }
        let chunk = (StoreLimits.writesPerTransactionMax - writesBesideMax) / (told ? 2 : 1)
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
