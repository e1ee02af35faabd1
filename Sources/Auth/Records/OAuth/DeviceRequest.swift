package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore
package import Time

/// A device's request for access, which waits for a person at another device (RFC 8628). Its key
/// can be computed from the code that the person types, and from the code with which the device
/// polls.
package struct DeviceRequest: Equatable, Sendable {
    package enum State: String, Sendable { case waiting, allowed, refused }

    /// The user who has allowed the request, and the session in which they did so.
    package struct Approval: Equatable, Sendable {
        package let user: UserID
        package let browser: SessionID
        package let epoch: Int64
        /// The client's epoch (`ClientGrant.clientEpoch`).
        package let clientEpoch: Int64

        package init(user: UserID, browser: SessionID, epoch: Int64, clientEpoch: Int64) {
            self.user = user
            self.browser = browser
            self.epoch = epoch
            self.clientEpoch = clientEpoch
        }
    }

    package let client: String
    package let scope: [String]
    package let resources: [String]
    /// The hash of the device's code.
    package let secretHash: [UInt8]
    package let askedAt: Instant
    package let endsAt: Instant
    /// The network address of the device, which the person sees.
    package let address: String?

    package private(set) var state: State
    package private(set) var approval: Approval?
    /// The user who has entered the code, and may decide.
    package private(set) var reader: UserID?
    /// The shortest time between two polls of the device.
    package private(set) var interval: Span
    /// The last poll that was not too early, for a device that has polled too early before.
    package private(set) var polledAt: Instant?
    /// Raised by each change.
    private var revision: Int64

    package init(
        client: String, scope: [String], resources: [String], secretHash: [UInt8],
        askedAt: Instant, endsAt: Instant, address: String?, interval: Span
    ) {
        self.client = client
        self.scope = scope
        self.resources = resources
        self.secretHash = secretHash
        self.askedAt = askedAt
        self.endsAt = endsAt
        self.address = address
        self.interval = interval
        state = .waiting
        revision = 0
    }

    // MARK: Changes

    package func read(by user: UserID) -> DeviceRequest { changed { $0.reader = user } }

    package func refused() -> DeviceRequest { changed { $0.state = .refused } }

    package func allowed(_ approval: Approval) -> DeviceRequest {
        changed {
            $0.state = .allowed
            $0.approval = approval
        }
    }

    package func polled(at time: Instant, every interval: Span) -> DeviceRequest {
        changed {
            $0.polledAt = time
            $0.interval = interval
        }
    }

    private func changed(_ change: (inout DeviceRequest) -> Void) -> DeviceRequest {
        var next = self
        next.revision += 1
        change(&next)
        return next
    }

    // MARK: The row

    /// Conditions that hold until the request is changed.
    package var unchanged: [Condition] {
        [.present, .equals(Self.revisionName, .integer(revision))]
    }

    private static let revisionName = "revision"

    package func item(_ code: UserCode, expiresAt: Instant?) -> Item {
        Item(StoreLayout.deviceRequest(code), attributes, expiresAt: expiresAt)
    }

    package var attributes: Attributes {
        var attributes: Attributes = [
            "client": .text(client), "scope": .text(Words.text(scope)),
            "resources": .text(Words.text(resources)), "secret": .bytes(secretHash),
            "state": .text(state.rawValue), "interval": .integer(interval.seconds),
            Self.revisionName: .integer(revision),
        ]
        attributes.set("askedAt", askedAt)
        attributes.set("endsAt", endsAt)
        attributes.set("address", address)
        attributes.set("reader", reader?.text)
        if let polledAt { attributes.set("polledAt", polledAt) }
        if let approval {
            attributes["user"] = .text(approval.user.text)
            attributes["browser"] = .text(approval.browser.text)
            attributes["epoch"] = .integer(approval.epoch)
            ClientEpoch.set(approval.clientEpoch, in: &attributes)
        }
        return attributes
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            client: try read.text("client"), scope: Words.list(try read.text("scope")),
            resources: Words.list(try read.text("resources")),
            secretHash: try read.bytes("secret"), askedAt: try read.instant("askedAt"),
            endsAt: try read.instant("endsAt"), address: try read.optionalText("address"),
            interval: .seconds(try read.integer("interval")))
        guard let state = State(rawValue: try read.text("state")) else {
            throw read.unreadable("state")
        }
        self.state = state
        revision = try read.integer(Self.revisionName)
        reader = try read.optionalText("reader").flatMap(UserID.init(parsing:))
        polledAt = try read.optionalInteger("polledAt").map(Instant.init(milliseconds:))
        if let user = try read.optionalText("user").flatMap(UserID.init(parsing:)),
            let browser = try read.optionalText("browser").flatMap(SessionID.init(parsing:))
        {
            approval = Approval(
                user: user, browser: browser, epoch: try read.integer("epoch"),
                clientEpoch: try ClientEpoch.read(read))
        }
    }
}

/// The code with which a device polls. It consists of the person's code, by which the row is found,
/// and a secret. The row has the hash of the secret.
package struct DeviceCode: Sendable {
    package let userCode: UserCode
    package let secretHash: [UInt8]

    private static let secretBytes = 32

    /// - Returns: the text for the device, and the values for the store.
    package static func make(random: RandomSource) -> (String, DeviceCode) {
        let (userCode, secret) = (UserCode(random: random), random.bytes(secretBytes))
        return (
            Base64URL.encode(Array(userCode.letters.utf8) + secret),
            DeviceCode(userCode: userCode, secretHash: SHA256.hash(secret))
        )
    }

    package init?(parsing text: String) {
        guard let bytes = Base64URL.decode(text),
            bytes.count == UserCode.count + Self.secretBytes,
            let letters = String(validating: bytes.prefix(UserCode.count), as: UTF8.self),
            let userCode = UserCode(parsing: letters), userCode.letters.isSame(as: letters)
        else { return nil }
        self.init(
            userCode: userCode, secretHash: SHA256.hash(Array(bytes.dropFirst(UserCode.count))))
    }

    private init(userCode: UserCode, secretHash: [UInt8]) {
        self.userCode = userCode
        self.secretHash = secretHash
    }

    package func isOf(_ request: DeviceRequest) -> Bool {
        constantTimeEquals(secretHash, request.secretHash)
    }
}
