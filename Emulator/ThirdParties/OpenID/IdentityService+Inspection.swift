internal import JOSE
package import JSON
package import Time

/// An issuer's keys and settings, for checking its tokens.
package struct IssuerInspection: Sendable {
    package let name: String
    package let issuer: String
    /// The public keys as JWKs.
    package let publicKeys: [JSONObject]
    /// The registered clients; if there are none, the default client of minted tokens.
    package let clientIDs: [String]
    /// The lifetime of its ID tokens.
    package let lifetime: Span
}

extension IdentityService {
    /// The issuer's actual state, without any active faults; nil for an unknown name.
    package func inspection(of name: String) -> IssuerInspection? {
        guard let provider = providers.first(where: { $0.name == name }) else { return nil }
        let keys = (try? provider.keys.published()) ?? []
        let clients = ((try? provider.clients()) ?? []).map(\.id)
        let usual = (try? provider.defaultClientID()).map { [$0] } ?? []
        return IssuerInspection(
            name: name, issuer: provider.issuer, publicKeys: keys.compactMap(\.publicJWK),
            clientIDs: clients.isEmpty ? usual : clients, lifetime: provider.kind.lifetime)
    }
}
