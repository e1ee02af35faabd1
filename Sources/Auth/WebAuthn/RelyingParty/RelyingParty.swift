/// Whether a ceremony may take place in a frame of another site (WebAuthn section 5.10).
package enum EmbeddingPolicy: Sendable, Equatable {
    case refused
    /// Only in pages of these origins. Browsers that do not know `topOrigin` do not say in which
    /// page they are; `acceptsUnnamed` lets them in as well, wherever they are.
    case allowed(topOrigins: OriginList, acceptsUnnamed: Bool)
}

/// The relying party that every ceremony is verified against: from settings.
package struct RelyingParty: Sendable, Equatable {
    package let id: RelyingPartyID
    /// Shown by some clients. Authenticators may keep only 64 bytes of it (WebAuthn section
    /// 5.4.1).
    package let name: String
    package let origins: OriginList
    package let embedding: EmbeddingPolicy
    /// In order of preference.
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
