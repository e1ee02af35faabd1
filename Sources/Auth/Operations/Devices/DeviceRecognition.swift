internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// A token with which a trusted device authenticates. It cannot be printed.
package struct DeviceToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    init(random: RandomSource) { text = Base64URL.encode(random.bytes(32)) }

    var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

    /// The token's text, for the response body.
    package func reveal() -> String { text }

    package var description: String { "<device token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Evidence that a sign-in comes from a device that the account trusts.
struct TrustedDevice {
    let user: UserID

    fileprivate init(user: UserID) { self.user = user }
}

/// A sign-in on a device: its row, and a notice to the owner if the device is new.
struct DeviceRecognition {
    let device: Device
    /// Set if the device authenticated as a trusted one.
    let trusted: TrustedDevice?
    /// The successor of the token that was used.
    let token: DeviceToken?
    private let known: Device?
    private let others: [Device]

    init(
        _ auth: AuthServices, _ id: DeviceID, _ claim: DeviceClaim, of user: User,
        from origin: SessionOrigin, _ history: SignInHistory, at now: Instant
    ) {
        let known = history.devices.first { $0.id == id }
        var device = Device(
            id: id, name: origin.deviceName, system: origin.deviceSystem,
            userAgent: origin.userAgent, address: origin.address,
            firstSeenAt: known?.firstSeenAt ?? now, lastSeenAt: now, trust: known?.trust)
        if user.hasSecondFactor, let trust = device.trust,
            trust.accepts(claim.token, epoch: user.epoch, at: now)
        {
            let next = DeviceToken(random: auth.random)
            device.trust?.tokenHash = next.hash
            trusted = TrustedDevice(user: user.id)
            token = next
        } else {
            trusted = nil
            token = nil
        }
        self.device = device
        self.known = known
        others = history.devices.filter { $0.id != id }
    }

    /// The maximum number of devices that one sign-in removes, limited by the size of a
    /// transaction.
    private static let removedMax = 10

    /// Trusted devices are kept longer than any of their sessions.
    private static let retention = Span.days(90)

    func writes(_ auth: AuthServices, of user: UserID, _ policy: DevicePolicy, at now: Instant)
        -> [Write]
    {
        let row = DeviceRecord.item(
            device, of: user,
            expiresAt: now + auth.policy.sessions.absoluteLifetime + Self.retention)
        let oldest = others.sorted { $0.lastSeenAt > $1.lastSeenAt }
            .dropFirst(policy.devicesMax - 1).suffix(Self.removedMax)
        return [.put(row, when: known.map(DeviceRecord.trustUnchanged) ?? [])]
            + oldest.map { .delete(StoreLayout.device($0.id, of: user), when: []) }
    }

    /// There is no notice for a known device, nor for the first device of a new account.
    func notice(
        _ auth: AuthServices, to user: User, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> OwnerNotice {
        let isFirst = others.isEmpty && now - user.createdAt < .hours(1)
        guard auth.hasMail, known == nil, !isFirst else { return .none }
        // A name in a message to an unverified address could be an attacker's text.
        let name = device.name ?? device.userAgent.map { UserAgentName($0).text }
        let values = name.map { user.isEmailVerified ? ["device": $0] : [:] } ?? [:]
        return try auth.notice(.newDevice, to: user, saying: values, caller, at: now)
    }
}

extension AuthServices {
    var devicePolicy: DevicePolicy {
        get throws(AuthError) {
            guard let policy = policy.devices else { throw .fault(.serviceNotConfigured) }
            return policy
        }
    }
}
