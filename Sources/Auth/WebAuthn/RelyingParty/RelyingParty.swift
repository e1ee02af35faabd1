/// Whether a ceremony may take place in a frame of another site (WebAuthn section 5.10).
package enum EmbeddingPolicy: Sendable, Equatable {
    case refused
    /// Ceremonies are accepted only in pages of these origins. Browsers that do not know
    /// `topOrigin` do not state the page; with `acceptsUnnamed`, their ceremonies are accepted in
    /// any page.
    case allowed(topOrigins: OriginList, acceptsUnnamed: Bool)
}

/// The relying party for which every ceremony is verified, from the settings.
package struct RelyingParty: Sendable, Equatable {
    package let id: RelyingPartyID
    /// The name, which some clients show. Authenticators may keep only 64 bytes of it (WebAuthn
    /// section 5.4.1).
    package let name: String
    package let origins: OriginList
    package let embedding: EmbeddingPolicy
    /// The algorithms in order of preference.
    package let algorithms: [COSEAlgorithm]

    package init(
        id: RelyingPartyID, name: String, origins: OriginList,
        embedding: EmbeddingPolicy = .refused,
        algorithms: [COSEAlgorithm] = COSEAlgorithm.offeredByDefault
    ) {
        precondition(!algorithms.isEmpty)
        self.id = id
        self.name = name
        self.origins = origins
        self.embedding = embedding
        self.algorithms = algorithms
    }
}
