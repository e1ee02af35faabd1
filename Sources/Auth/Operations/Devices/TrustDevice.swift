package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// Trusts the device of the session: for 30 days, a sign-in on it needs no second factor.
///
/// The request needs the second factor, and applies to the current device only. The device receives
/// a token for its next sign-in, which replaces the token.
package struct TrustDevice: Sendable {
    let auth: AuthServices

    package struct Output: Sendable {
        package let token: DeviceToken
        package let lifetime: Span
    }

    package func callAsFunction(
        _ id: String, code: String, _ caller: Caller
    ) throws(AuthError) -> Output {
        let policy = try auth.devicePolicy

        // 1. Open: authenticate, and read the factor and the device.
        let device = DeviceID(parsing: id)
        let owner = try FactorOwner(auth, caller, for: .trustDevice) { user in
            device.map { [StoreLayout.device($0, of: user)] } ?? []
        }
        guard let device,
            let item = owner.items[StoreLayout.device(device, of: owner.principal.user.id)]
        else { throw .device(.notFound) }
        guard owner.principal.session.origin.device == device else { throw .device(.notCurrent) }
        let now = auth.clock.now()
        let (check, _) = try owner.check(auth, .code(typed: code), caller, at: now)

        // 2. Close: the code is used up in the same write.
        let user = owner.principal.user
        let token = DeviceToken(random: auth.random)
        let known = try decoded(DeviceRecord.device(item, id: device))
        var trusted = known
        trusted.trust = DeviceTrust(
            tokenHash: token.hash, epoch: user.epoch, endsAt: now + policy.trustLifetime)
        let row = DeviceRecord.item(trusted, of: user.id, expiresAt: item.expiresAt ?? now)
        let closing = [
            check.write(),
            .put(row, when: [.present] + DeviceRecord.trustUnchanged(known)),
        ]
        var audit = owner.audit(auth)
        audit.record(.deviceTrusted, session: owner.principal.session.id, caller, at: now)
        guard try auth.commit(closing, &audit) else { throw .unavailable(.contention) }
        return Output(token: token, lifetime: policy.trustLifetime)
    }
}

extension AuthServices {
    package var trustDevice: TrustDevice { TrustDevice(auth: self) }
}

extension AuthOperation {
    package static let trustDevice = AuthOperation(
        "trustDevice", servedBy: "devices", audited: .caller)
}
