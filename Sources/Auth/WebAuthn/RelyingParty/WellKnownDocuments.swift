package import JSON

/// The documents that clients read from the RP ID's host, `https://<RP ID>`, with the content type
/// `application/json` and without a redirect. Each is nil if it would be empty.
package struct WellKnownDocuments: Sendable, Equatable {
    package let relyingParty: RelyingParty
    package let androidApps: [AndroidApp]
    package let appleApps: [AppleApp]

    package init(
        relyingParty: RelyingParty, androidApps: [AndroidApp] = [], appleApps: [AppleApp] = []
    ) {
        self.relyingParty = relyingParty
        self.androidApps = androidApps
        self.appleApps = appleApps
    }

    /// `/.well-known/webauthn`: the web origins on other domains (WebAuthn section 5.11). Clients
    /// accept only a limited number of registrable labels, at least five. So subdomains of the RP
    /// ID are left out: they need no entry.
    package var relatedOrigins: JSON? {
        let others = relyingParty.origins.origins.filter { origin in
            origin.host.map { !relyingParty.id.covers(host: $0) } ?? false
        }
        guard !others.isEmpty else { return nil }
        return ["origins": .array(others.map { .string($0.text) })]
    }

    /// `/.well-known/assetlinks.json` (Digital Asset Links): the apps may use the site's
    /// credentials. The guide of Android's Credential Manager requires both relations.
    /// `handle_all_urls` also lets an app handle links to the site, if its manifest asks for that.
    package var assetLinks: JSON? {
        guard !androidApps.isEmpty else { return nil }
        return .array(
            androidApps.map { app in
                [
                    "relation": [
                        "delegate_permission/common.handle_all_urls",
                        "delegate_permission/common.get_login_creds",
                    ],
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.packageName),
                        "sha256_cert_fingerprints": .array(
                            app.fingerprints.map { .string($0.text) }),
                    ],
                ]
            })
    }

    /// `/.well-known/apple-app-site-association`, with only the part about credentials.
    package var appleAppSiteAssociation: JSON? {
        guard !appleApps.isEmpty else { return nil }
        return ["webcredentials": ["apps": .array(appleApps.map { .string($0.identifier) })]]
    }
}
