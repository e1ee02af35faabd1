package import AuthDomain

// The documents that list the origins and apps that share the deployment's passkeys. Their
// endpoints have no operation, because the documents are in `AuthServices.passkeys.documents`.

extension AuthOperation {
    /// `/.well-known/webauthn`: web origins on other domains.
    package static let relatedOrigins = AuthOperation(
        "relatedOrigins", servedBy: "passkey-documents", counting: [])
    /// `/.well-known/apple-app-site-association`
    package static let appleAppSiteAssociation = AuthOperation(
        "appleAppSiteAssociation", servedBy: "passkey-documents", counting: [])
    /// `/.well-known/assetlinks.json`: Android apps.
    package static let assetLinks = AuthOperation(
        "assetLinks", servedBy: "passkey-documents", counting: [])
}
