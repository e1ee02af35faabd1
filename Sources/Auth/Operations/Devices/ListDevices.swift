package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// The devices on which a user has signed in, most recent first.
package struct ListDevices: Sendable {
    let auth: AuthServices

    package struct Entry: Equatable, Sendable {
        package let device: Device
        package let isCurrent: Bool
        package let sessions: Int
        /// The last sign-in or refresh.
        package let lastUsedAt: Instant
        /// nil if the device is not trusted.
        package let trustEndsAt: Instant?
    }

    package func callAsFunction(_ principal: Principal) throws(AuthError) -> [Entry] {
        let history = try auth.history(of: principal.user)
        let sessions = try history.sessions()
        let now = auth.clock.now()
        return history.devices.map { device in
            let sessions = sessions.filter { $0.origin.device == device.id }
            let trust = device.trust.flatMap { trust in
                trust.epoch == principal.user.epoch && now < trust.endsAt ? trust.endsAt : nil
            }
            return Entry(
                device: device, isCurrent: principal.session.origin.device == device.id,
                sessions: sessions.count,
                lastUsedAt: max(device.lastSeenAt, sessions.first?.lastUsedAt ?? device.lastSeenAt),
                trustEndsAt: trust)
        }.sorted { ($0.lastUsedAt, $0.device.id.text) > ($1.lastUsedAt, $1.device.id.text) }
    }
}

extension AuthServices {
    package var listDevices: ListDevices { ListDevices(auth: self) }
}

extension AuthOperation {
    package static let listDevices = AuthOperation("listDevices", servedBy: "devices")
}
