#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    /// Shows the system's passkey sheet, and returns the response for the server.
    ///
    /// The app needs the associated domain `webcredentials:` with the server's domain.
    @MainActor
    public final class PasskeyAuthorization {
        private let sheet: AuthorizationSheet

        /// - Parameter anchor: the window of the sheet.
        public init(anchor: ASPresentationAnchor) { sheet = AuthorizationSheet(anchor: anchor) }

        /// Asks the user. Throws `cancelled` if the user declines.
        public func respond(
            to ceremony: PasskeyCeremony
        ) async throws(AuthError) -> PasskeyResponse {
            guard let options = JSON(ceremony.options), let request = Self.request(options) else {
                throw .unsupported("the options of the ceremony")
            }
            guard case .passkey(let credential) = try await sheet.ask(request) else {
                throw .unsupported("a credential of another kind")
            }
            return PasskeyResponse(ceremony: ceremony.id, credential: credential.bytes)
        }

        private static func request(_ options: JSON) -> ASAuthorizationRequest? {
            let rp = options["rp"]?["id"]?.text ?? options["rpId"]?.text
            guard let rp, let challenge = options["challenge"]?.text.flatMap(Base64URL.decode)
            else { return nil }
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: rp)
            let selection = options["authenticatorSelection"] ?? options
            let mustVerify = selection["userVerification"]?.text == "required"
            if let user = options["user"], let id = user["id"]?.text.flatMap(Base64URL.decode) {
                let request = provider.createCredentialRegistrationRequest(
                    challenge: challenge, name: user["name"]?.text ?? "", userID: id)
                if mustVerify { request.userVerificationPreference = .required }
                #if !os(visionOS)
                    if #available(iOS 17.4, macOS 13.5, *) {
                        request.excludedCredentials = descriptors(options["excludeCredentials"])
                    }
                #endif
                return request
            }
            let request = provider.createCredentialAssertionRequest(challenge: challenge)
            if mustVerify { request.userVerificationPreference = .required }
            request.allowedCredentials = descriptors(options["allowCredentials"])
            return request
        }

        private static func descriptors(
            _ list: JSON?
        ) -> [ASAuthorizationPlatformPublicKeyCredentialDescriptor] {
            (list?.items ?? []).compactMap { $0["id"]?.text.flatMap(Base64URL.decode) }.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
            }
        }
    }
#endif
