package import AuthOperations
package import WebAuthn

extension PasskeyServices {
    /// The RP ID and the origin of `SoftwareAuthenticator`.
    package static func testing(
        id: String = "example.org", origins: String = "https://example.org",
        providers: ProviderNames = .builtIn, androidApps: [AndroidApp] = [],
        appleApps: [AppleApp] = []
    ) throws -> PasskeyServices {
        guard let id = RelyingPartyID(parsing: id) else { throw OriginFailure.invalidHost }
        let relyingParty = RelyingParty(
            id: id, name: "Example", origins: try OriginList(parsing: origins))
        return PasskeyServices(
            relyingParty, providers: providers,
            documents: WellKnownDocuments(
                relyingParty: relyingParty, androidApps: androidApps, appleApps: appleApps))
    }
}
