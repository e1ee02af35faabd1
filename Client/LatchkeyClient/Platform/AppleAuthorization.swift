#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    /// Shows the sheet of Sign in with Apple when the app has its own button. A
    /// `SignInWithAppleButton` of SwiftUI shows the sheet by itself.
    ///
    /// The app needs the capability Sign in with Apple.
    @MainActor
    public final class AppleAuthorization {
        private let sheet: AuthorizationSheet

        /// - Parameter anchor: the window of the sheet.
        public init(anchor: ASPresentationAnchor) { sheet = AuthorizationSheet(anchor: anchor) }

        /// Asks the user. Throws `cancelled` if the user declines.
        ///
        /// - Parameter nonce: from ``LatchkeyClient/challenge()``.
        public func credential(nonce: String?) async throws(AuthError) -> IdentityCredential {
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = [.fullName, .email]
            request.nonce = nonce
            guard case .apple(var credential) = try await sheet.ask(request) else {
                throw .unsupported("a credential of another kind")
            }
            credential.nonce = nonce
            return credential
        }
    }

    extension LatchkeyClient {
        /// Gets a nonce, shows the sheet of Sign in with Apple, and signs in.
        ///
        /// - Parameters:
        ///   - anchor: the window of the sheet.
        ///   - device: the description of this device, if it differs from the one in the options.
        @MainActor
        public func signInWithApple(
            anchor: ASPresentationAnchor, device: Device? = nil
        ) async throws(AuthError) -> SignInResult {
            let nonce = contract.supports(.challenge) ? try await challenge().nonce : nil
            let sheet = AppleAuthorization(anchor: anchor)
            return try await signIn(try await sheet.credential(nonce: nonce), device: device)
        }
    }
#endif
