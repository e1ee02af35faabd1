#if canImport(AuthenticationServices)
    import AppSupport
    import AuthenticationServices
    import LatchkeyClient

    extension AuthManager {
        /// - Parameter anchor: the window of Apple's sheet.
        @MainActor func signInWithApple(anchor: ASPresentationAnchor) async {
            // The contract has no nonce: the server accepts a token once.
            await signIn { @MainActor () throws(ClientError) in
                try await AppleAuthorization(anchor: anchor).credential(nonce: nil)
            }
        }
    }
#endif
