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
        ///
        /// A passkey that is added without a sheet (`.add(isConditional: true)`) needs iOS 18,
        /// macOS 15 or visionOS 2. The system makes it right after a sign-in with a password that
        /// it has filled in, and throws otherwise.
        ///
        /// - Parameters:
        ///   - ceremony: what ``LatchkeyClient/passkeyOptions(for:)`` has begun.
        ///   - onlyIfAvailable: whether to ask only for passkeys of this device. Without such
        ///     passkeys nothing is shown, and `cancelled` is thrown.
        public func respond(
            to ceremony: PasskeyCeremony, onlyIfAvailable: Bool = false
        ) async throws(AuthError) -> PasskeyResponse {
            try await respond(to: ceremony, waits: false) {
                $0.performRequests(
                    options: onlyIfAvailable ? .preferImmediatelyAvailableCredentials : [])
            }
        }

        #if !os(macOS)
            /// Offers passkeys above the keyboard, as long as a text field with the content type
            /// `username` has the focus. Waits until the user chooses one.
            ///
            /// A sheet of another `PasskeyAuthorization` or `AppleAuthorization` ends AutoFill.
            /// Then, and when the task is cancelled, `cancelled` is thrown.
            ///
            /// - Parameter client: the client that begins the ceremonies.
            public func autoFill(
                with client: LatchkeyClient
            ) async throws(AuthError) -> PasskeyResponse {
                while true {
                    let ceremony = try await client.passkeyOptions(for: .signIn)
                    if Task.isCancelled { throw .cancelled }
                    // The user may wait longer than the ceremony is valid. The task is
                    // unstructured, because it only closes the sheet.
                    let expiry = Task { [sheet] in
                        try await Task.sleep(for: ceremony.timeout * 0.8)
                        sheet.close(.superseded)
                    }
                    defer { expiry.cancel() }
                    do throws(AuthError) {
                        return try await respond(to: ceremony, waits: true) {
                            $0.performAutoFillAssistedRequests()
                        }
                    } catch {
                        guard error == .superseded else { throw error }
                    }
                }
            }
        #endif

        private func respond(
            to ceremony: PasskeyCeremony, waits: Bool,
            _ perform: (ASAuthorizationController) -> Void
        ) async throws(AuthError) -> PasskeyResponse {
            guard let options = JSON(ceremony.options),
                let request = try Self.request(options, ceremony.isConditional)
            else { throw .unsupported("the options of the ceremony") }
            let answer = try await sheet.ask(request, waits: waits, perform)
            guard case .passkey(let credential) = answer else {
                throw .unsupported("a credential of another kind")
            }
            return PasskeyResponse(ceremony: ceremony.id, credential: credential.bytes)
        }

        private static func request(
            _ options: JSON, _ isConditional: Bool
        ) throws(AuthError) -> ASAuthorizationRequest? {
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
                if isConditional {
                    guard #available(iOS 18, macOS 15, visionOS 2, *) else {
                        throw .unsupported("a passkey without a sheet")
                    }
                    request.requestStyle = .conditional
                }
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
