#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    /// Shows the system's sheet for a passkey, and answers a ceremony of the server.
    ///
    /// The app needs the associated domain `webcredentials:` with the server's domain.
    @MainActor
    public final class PasskeyAuthorization: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private typealias Outcome = Result<ASAuthorization, AuthError>

        private let anchor: ASPresentationAnchor
        private var waiter: CheckedContinuation<Outcome, Never>?
        private var controller: ASAuthorizationController?

        /// - Parameter anchor: the window of the sheet.
        public init(anchor: ASPresentationAnchor) { self.anchor = anchor }

        /// Asks the user. Throws `cancelled` if the user declines.
        public func respond(
            to ceremony: PasskeyCeremony
        ) async throws(AuthError) -> PasskeyResponse {
            guard let options = JSON(ceremony.options), let request = Self.request(options) else {
                throw .unsupported("the options of the ceremony")
            }
            guard waiter == nil else { throw .unsupported("two sheets at once") }
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            self.controller = controller
            let outcome = await withCheckedContinuation { continuation in
                waiter = continuation
                controller.performRequests()
            }
            guard let credential = Self.json(try outcome.get().credential) else {
                throw .unsupported("a credential that is no passkey")
            }
            return PasskeyResponse(ceremony: ceremony.id, credential: credential.bytes)
        }

        private static func request(_ options: JSON) -> ASAuthorizationRequest? {
            guard let challenge = options["challenge"]?.text.flatMap(Base64URL.decode) else {
                return nil
            }
            if let rp = options["rp"]?["id"]?.text, let user = options["user"],
                let id = user["id"]?.text.flatMap(Base64URL.decode)
            {
                return ASAuthorizationPlatformPublicKeyCredentialProvider(
                    relyingPartyIdentifier: rp
                ).createCredentialRegistrationRequest(
                    challenge: challenge, name: user["name"]?.text ?? "", userID: id)
            }
            guard let rp = options["rpId"]?.text else { return nil }
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: rp
            ).createCredentialAssertionRequest(challenge: challenge)
            request.allowedCredentials =
                options["allowCredentials"]?.items?.compactMap { allowed in
                    allowed["id"]?.text.flatMap(Base64URL.decode).map {
                        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                    }
                } ?? []
            return request
        }

        /// As `PublicKeyCredential.toJSON()` writes it.
        private static func json(_ credential: any ASAuthorizationCredential) -> JSON? {
            switch credential {
            case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                json(
                    made.credentialID,
                    [
                        "clientDataJSON": made.rawClientDataJSON,
                        "attestationObject": made.rawAttestationObject,
                    ])
            case let used as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                json(
                    used.credentialID,
                    [
                        "clientDataJSON": used.rawClientDataJSON,
                        "authenticatorData": used.rawAuthenticatorData,
                        "signature": used.signature, "userHandle": used.userID,
                    ])
            default: nil
            }
        }

        private static func json(_ id: Data, _ response: [String: Data?]) -> JSON {
            let id = Base64URL.encode(id).json
            let members = response.mapValues { $0.map { Base64URL.encode($0).json } }
            return .object([
                "id": id, "rawId": id, "type": "public-key", "response": .members(members),
            ])
        }

        private func end(_ outcome: Outcome) {
            waiter?.resume(returning: outcome)
            waiter = nil
            controller = nil
        }

        public func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            end(.success(authorization))
        }

        public func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
            end(.failure(isCancelled ? .cancelled : .unsupported("a passkey here")))
        }

        public func presentationAnchor(
            for controller: ASAuthorizationController
        ) -> ASPresentationAnchor { anchor }
    }
#endif
