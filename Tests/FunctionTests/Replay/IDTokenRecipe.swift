import Bytes
import Cryptography
import JSON
import Time

/// An ID token as a fixture describes it: nothing that expires is checked in.
struct IDTokenRecipe {
    enum Provider: String { case apple, google, acme }

    /// What is wrong with it, where that is not a matter of claims.
    enum Fault: String {
        case none
        case expired, tooOld, issuedInFuture, notYetValid
        /// Signed by a key that nobody publishes, under the name of one that is published.
        case wrongKey
        /// Under the name of a key that nobody publishes.
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

    init(_ json: JSON) throws {
        let reader = try GivenReader(
            json, at: "idTokens", only: ["provider", "fault", "claims", "clock"])
        guard let provider = Provider(rawValue: try text(reader["provider"], "provider")),
            let fault = Fault(rawValue: try reader["fault"].map { try text($0, "fault") } ?? "none")
        else { throw Given.Malformed(description: "idTokens: provider or fault") }
        self.provider = provider
        self.fault = fault
        clock = try reader["clock"].map { try Span(parsing: text($0, "clock")) } ?? .zero
        claims = try reader["claims"].map { try GivenReader($0, at: "claims").members } ?? []
    }

    /// `sha256:TEXT` stands for the hash of TEXT in hex: apps pass a nonce on like that.
    static func hashed(_ claim: JSON) -> JSON {
        guard let text = claim.stringValue, text.hasPrefix("sha256:") else { return claim }
        return .string(Hex.encode(SHA256.hash(utf8: String(text.dropFirst(7)))))
    }
}
