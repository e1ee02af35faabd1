internal import JOSE
package import JSON
package import Time

/// What is needed to judge the tokens of an issuer.
package struct IssuerInspection: Sendable {
    package let name: String
    package let issuer: String
    /// As JWKs.
    package let publicKeys: [JSONObject]
    /// Those that are registered; otherwise that of minted tokens.
    package let clientIDs: [String]
    /// For how long its ID tokens are valid.
    package let lifetime: Span
}

extension IdentityService {
    /// As the issuer itself knows it, whatever faults are on; nil for an unknown name.
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
