internal import Bytes
internal import Cryptography
internal import JSON
internal import Time

/// The description of an ID token in a fixture, from which a token is minted at each replay.
struct IDTokenDescription {
    enum Provider: String { case apple, google, acme }

    /// Faults that claims cannot express.
    enum Fault: String {
        case none
        case expired, tooOld, issuedInFuture, notYetValid
        /// The token is signed by an unpublished key, with the kid of a published one.
        case wrongKey
        /// The token is signed by an unpublished key, with its own kid.
        case unknownKey
        case noKeyID
        case algorithmNone
        /// HS256 with the published key as the secret.
        case publicKeyAsSecret
        /// The token is signed by a key that the token itself contains.
        case ownKeyInHeader
        case criticalHeader
        case changedPayload
        case duplicateSubject
        case paddedSignature
        case oversized
    }

    let provider: Provider
    let fault: Fault
    /// These claims override the provider's default claims; null removes a claim.
    let claims: [(name: String, value: JSON)]
    /// The offset of its issue time from the fixture's time.
    let clock: Span

    init(_ json: JSON) throws(FixtureFailure) {
        let reader = try MemberReader(
            json, at: "idTokens", only: ["provider", "fault", "claims", "clock"])
        func text(_ name: String) throws(FixtureFailure) -> String? {
            guard let value = reader[name] else { return nil }
            return try MemberReader.text(value, "idTokens.\(name)")
        }
        guard let provider = try text("provider").flatMap(Provider.init(rawValue:)),
            let fault = Fault(rawValue: try text("fault") ?? "none")
        else { throw FixtureFailure("idTokens: unknown provider or fault") }
        self.provider = provider
        self.fault = fault
        if let clock = try text("clock") {
            self.clock = try Span(parsing: clock)
        } else {
            clock = .zero
        }
        if let json = reader["claims"] {
            claims = try MemberReader(json, at: "claims").members
        } else {
            claims = []
        }
    }

    /// `sha256:TEXT` is replaced by the hash of TEXT in hex, as apps pass a hashed nonce to the
    /// provider.
    static func hashed(_ claim: JSON) -> JSON {
        guard let text = claim.stringValue, text.hasPrefix("sha256:") else { return claim }
        return .string(Hex.encode(SHA256.hash(utf8: String(text.dropFirst(7)))))
    }
}
