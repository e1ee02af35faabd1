package import Time

/// Proofs of possession (DPoP, RFC 9449): whether tokens are bound to a key of the client, so that
/// a stolen token cannot be used without the key.
package struct ProofPolicy: Equatable, Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// New sessions are not bound. Tokens that were bound before still need their key.
        case off
        /// A session that is opened, or refreshed, with a proof is bound to its key.
        case optional
        /// Sessions need a proof.
        case required
    }

    package var mode: Mode
    /// How long a proof is valid. Each proof can be used once.
    package var ageMax: Span
    /// How far a client's clock may be ahead.
    package var leeway: Span

    package init(mode: Mode = .off, ageMax: Span = .minutes(5), leeway: Span = .minutes(1)) {
        self.mode = mode
        self.ageMax = ageMax
        self.leeway = leeway
    }
}
