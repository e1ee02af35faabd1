#if canImport(AuthenticationServices)
    import AppSupport
    import AuthenticationServices
    import LatchkeyClient

    extension AuthManager {
        /// - Parameter anchor: the window of Apple's sheet.
        @MainActor func signInWithApple(anchor: ASPresentationAnchor) async {
            // The contract has no nonce, but the server accepts each token only once.
            await signIn { @MainActor () throws(ClientError) in
                try await AppleAuthorization(anchor: anchor).credential(nonce: nil)
            }
        }
    }
#endif
