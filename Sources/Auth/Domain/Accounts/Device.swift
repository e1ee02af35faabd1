internal import Bytes
internal import Cryptography
package import Time

/// A device of one account: a hash of the account's ID and of the app's description of the device.
/// The description is not stored. The same device has a different ID in each account.
package struct DeviceID: Hashable, Sendable {
    package let uuid: UUIDText
    package var text: String { uuid.text }

    package init?(parsing raw: String) {
        guard let uuid = UUIDText(parsing: raw) else { return nil }
        self.uuid = uuid
    }

    /// - Parameter fingerprint: the app's own identifier of the device. Without it, the device is
    ///   identified by its name and its user agent, both without version numbers, so that the
    ///   device remains the same after an update.
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

/// A device that signs in without the second factor for a limited time. It authenticates with a
/// token that is valid once and replaced at each sign-in; a fingerprint proves nothing.
package struct DeviceTrust: Equatable, Sendable {
    package var tokenHash: [UInt8]
    /// The account's epoch when the device was trusted: the trust ends when all sessions end.
    package let epoch: Int64
    /// Signing in on the device does not extend the trust.
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

/// An app's claim about its device at sign-in.
package struct DeviceClaim: Sendable {
    package static let fingerprintBytesMax = 256

    /// The name in lists of sessions and devices.
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
