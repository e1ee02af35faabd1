/// The options of a client. The defaults suit most apps.
public struct Options: Sendable {
    /// Origins, other than the server's own, to which ``LatchkeyClient/send(_:)`` sends the access
    /// token: `https://api.example.com`.
    public var tokenOrigins: [String] = []
    /// Allows `http` to machines other than this one, which exposes the tokens on the network.
    public var allowsInsecureHTTP = false
    /// The limit for one exchange with the server.
    public var requestTimeout: Duration = .seconds(20)
    /// How long to wait while another process refreshes.
    public var lockWait: Duration = .seconds(15)
    /// How often a refresh is sent before the client gives up. The session is not ended then.
    public var refreshAttemptsMax = 4
    /// The time within which a refresh may be repeated. The server repeats its answer for 60
    /// seconds.
    public var refreshTime: Duration = .seconds(45)
    /// Proves that the tokens belong to this device (RFC 9449).
    public var proofKey: (any ProofKey)?
    /// Identifies this device to its user in the list of devices.
    public var device = Device()
    /// The source of cryptographically secure random bytes.
    public var random: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    public init() {}
}

/// The description of the device in a sign-in. It is only shown, never used for authorisation.
public struct Device: Equatable, Sendable {
    public var name: String?
    public var os: String?
    /// The app's own identifier of the device, of at most 256 bytes.
    public var fingerprint: String?

    public init(name: String? = nil, os: String? = nil, fingerprint: String? = nil) {
        self.name = name
        self.os = os
        self.fingerprint = fingerprint
    }
}

extension Options {
    /// Full jitter: any time from zero to the maximum.
    package func jitter(upTo max: Duration) -> Duration {
        let draw = random(4).reduce(0) { ($0 << 8) | UInt64($1) }
        return max * (Double(draw) / Double(UInt32.max))
    }

    /// Random bytes as base64url.
    package func randomText(bytes: Int) -> String { Base64URL.encode(random(bytes)) }
}
