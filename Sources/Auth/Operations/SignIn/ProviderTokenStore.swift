package import AuthDomain
package import AuthRecords
package import Bytes
package import Cryptography
internal import IdentityProviders
package import KeyValueStore
internal import Time

/// A provider's own refresh token for one identity and one of our client IDs.
///
/// A newer token replaces it without revoking it. Revoking any token ends the user's whole
/// authorization of the client, with all its tokens (Sign in with Apple REST API, "Revoke tokens"):
/// revoking the newest is enough, and an older one must not be revoked on its own.
package struct ProviderGrant: Sendable {
    package let provider: String
    package let identity: IdentityDigest
    package let clientID: String
    package let token: SecretBytes

    package init(
        provider: String, _ identity: IdentityDigest, clientID: String, token: SecretBytes
    ) {
        self.provider = provider
        self.identity = identity
        self.clientID = clientID
        self.token = token
    }

    init(_ token: SecretBytes, of identity: VerifiedIdentity) {
        self.init(
            provider: identity.provider,
            IdentityDigest(issuer: identity.issuer, subject: identity.subject),
            clientID: identity.audience, token: token)
    }
}

/// Stores providers' own refresh tokens, encrypted: when an account is deleted, or an identity
/// removed from it, its tokens must be revoked at Apple too (TN3194).
package struct ProviderTokenStore: Sendable {
    let rows: RowSealing

    package init(_ master: MasterKey, random: RandomSource) throws(CryptoFailure) {
        rows = try RowSealing("latchkey provider grant", master, { $0.grants }, random: random)
    }

    package func keep(_ grant: ProviderGrant, of user: UserID) throws(AuthError) -> [Write] {
        let key = StoreLayout.grant(of: grant.identity, clientID: grant.clientID, in: user)
        // The client ID is not secret, and is needed for revoking.
        let item = Item(
            key,
            [
                "sealed": .bytes(try rows.seal(grant.token, in: key)),
                "provider": .text(grant.provider), "identity": .text(grant.identity.text),
                "clientID": .text(grant.clientID),
            ])
        return [.put(item, when: []), rows.entry(of: key)]
    }

    package func open(_ item: Item) throws(AuthError) -> ProviderGrant {
        guard case .bytes(let sealed)? = item.attributes["sealed"],
            case .text(let provider)? = item.attributes["provider"],
            case .text(let identity)? = item.attributes["identity"],
            case .text(let clientID)? = item.attributes["clientID"]
        else { throw .fault(.sealedDataUnreadable) }
        return ProviderGrant(
            provider: provider, IdentityDigest(text: identity), clientID: clientID,
            token: try rows.open(sealed, in: item.key))
    }
}

extension AuthServices {
    /// Gets the provider's own refresh token for an authorization code that came with an identity
    /// token; nil without a code, and in contracts that would never revoke it.
    ///
    /// - Parameter known: the result for a code that was already exchanged for the identity token.
    func exchange(
        _ code: String?, or known: CodeExchange? = nil, _ identity: VerifiedIdentity
    ) throws(AuthError) -> CodeExchange? {
        if let known { return known }
        guard let code, policy.identity.keepsTokens else { return nil }
        let exchange = try identityProviders.exchange(code, identity, clock.now())
        if case .belongsToAnotherUser = exchange {
            throw .signIn(.identityRejected(.invalidIDToken))
        }
        return exchange
    }

    /// The writes that store the exchanged token.
    func keep(
        _ exchange: CodeExchange?, of identity: VerifiedIdentity, in user: UserID
    ) throws(AuthError) -> [Write] {
        guard case .granted(let token)? = exchange else { return [] }
        return try providerTokens.keep(ProviderGrant(token, of: identity), of: user)
    }
}
