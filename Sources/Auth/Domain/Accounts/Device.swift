internal import Bytes
internal import Cryptography
package import Time

/// A device of one account. Made of what the app says of it, which is not kept: the same device has
/// another id in another account.
package struct DeviceID: Hashable, Sendable {
    package let uuid: UUIDText
    package var text: String { uuid.text }

    package init?(parsing raw: String) {
        guard let uuid = UUIDText(parsing: raw) else { return nil }
        self.uuid = uuid
    }

    /// - Parameter fingerprint: what the app calls the device. Without it, a device is what its
    ///   name and its user agent say, without versions, so that an update does not make a new one.
    package init(of user: UserID, fingerprint: String?, name: String?, userAgent: String?) {
        let parts: [String] =
            if let fingerprint {
                ["fingerprint", fingerprint]
            } else {
                ["derived", name ?? "", Self.withoutVersions(userAgent ?? "")]
            }
        var bytes = Array("latchkey device\0".utf8) + user.uuid.bytes
        for part in parts { bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        uuid = UUIDText(bytes: Array(SHA256.hash(bytes).prefix(16)))
    }

    private static func withoutVersions(_ text: String) -> String {
        let kept = text.utf8.filter { byte in
            !byte.isDigit
                && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "_")
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

/// A device on which an account was signed in.
package struct Device: Equatable, Sendable {
    package let id: DeviceID
    package var name: String?
    package var system: String?
    package var userAgent: String?
    package var address: String?
    package let firstSeenAt: Instant
    /// The last sign-in.
    package var lastSeenAt: Instant
    package var trust: DeviceTrust?

    package init(
        id: DeviceID, name: String? = nil, system: String? = nil, userAgent: String? = nil,
        address: String? = nil, firstSeenAt: Instant, lastSeenAt: Instant,
        trust: DeviceTrust? = nil
    ) {
        self.id = id
        self.name = name
        self.system = system
        self.userAgent = userAgent
        self.address = address
        self.firstSeenAt = firstSeenAt
        self.lastSeenAt = lastSeenAt
        self.trust = trust
    }
}

/// A device that is not asked for the second factor, for a while. It proves itself by a token,
/// which is good once and replaced at each sign-in; a fingerprint proves nothing.
package struct DeviceTrust: Equatable, Sendable {
    package var tokenHash: [UInt8]
    /// The account's: when all sessions end, so does the trust.
    package let epoch: Int64
    /// Not prolonged by use.
    package let endsAt: Instant

    package init(tokenHash: [UInt8], epoch: Int64, endsAt: Instant) {
        self.tokenHash = tokenHash
        self.epoch = epoch
        self.endsAt = endsAt
    }

    package func accepts(_ token: String?, epoch: Int64, at now: Instant) -> Bool {
        guard let token, now < endsAt, epoch == self.epoch else { return false }
        return constantTimeEquals(SHA256.hash(Array(token.utf8)), tokenHash)
    }
}

/// What an app says of its device at sign-in.
package struct DeviceClaim: Sendable {
    package static let fingerprintBytesMax = 256

    /// For lists of sessions and devices.
    package var name: String?
    package var system: String?
    package var fingerprint: String?
    /// The token of a trusted device.
    package var token: String?

    package init(
        name: String? = nil, system: String? = nil, fingerprint: String? = nil,
        token: String? = nil
    ) {
        self.name = name
        self.system = system
        self.fingerprint = fingerprint
        self.token = token
    }
}
