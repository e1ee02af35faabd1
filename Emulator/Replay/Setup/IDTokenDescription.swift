internal import Bytes
internal import Cryptography
internal import JSON
internal import Time

/// An ID token as a fixture describes it: nothing that expires is checked in.
struct IDTokenDescription {
    enum Provider: String { case apple, google, acme }

    /// What is wrong with it, where that is not a matter of claims.
    enum Fault: String {
        case none
        case expired, tooOld, issuedInFuture, notYetValid
        /// Signed by an unpublished key, under the kid of a published one.
        case wrongKey
        /// Signed by an unpublished key, under its own kid.
        case unknownKey
        case noKeyID
        case algorithmNone
        /// HS256 with the published key as the secret.
        case publicKeyAsSecret
        /// Signed by a key that the token itself brings along.
        case ownKeyInHeader
        case criticalHeader
        case changedPayload
        case duplicateSubject
        case paddedSignature
        case oversized
    }

    let provider: Provider
    let fault: Fault
    /// Instead of the provider's usual ones; null takes a claim out.
    let claims: [(name: String, value: JSON)]
    /// How far from the fixture's own time it is issued.
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

    /// `sha256:TEXT` stands for the hash of TEXT in hex: apps pass a nonce on like that.
    static func hashed(_ claim: JSON) -> JSON {
        guard let text = claim.stringValue, text.hasPrefix("sha256:") else { return claim }
        return .string(Hex.encode(SHA256.hash(utf8: String(text.dropFirst(7)))))
    }
}
