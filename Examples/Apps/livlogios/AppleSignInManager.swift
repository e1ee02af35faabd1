#if canImport(AuthenticationServices)
    import AuthenticationServices
    import Combine
    import LatchkeyClient

    /// The original app's manager, which now passes the credential of Apple's sheet to the client.
    /// The server issues no nonce, and accepts a token once.
    @MainActor final class AppleSignInManager: ObservableObject {
        @Published var isAuthenticated = false
        @Published var error: String?
        private let journal: Journal

        init(journal: Journal) { self.journal = journal }

        /// - Parameter anchor: the window of the sheet.
        func signIn(anchor: ASPresentationAnchor) async {
            error = nil
            do {
                _ = try await journal.client.signInWithApple(anchor: anchor)
                isAuthenticated = true
            } catch .cancelled {
                // The user has closed the sheet.
            } catch {
                self.error = error.localizedDescription
            }
        }

        /// Called at launch: signs the user out after the user has revoked the app's access to the
        /// Apple account.
        func checkCredential(of appleUserID: String) async {
            let provider = ASAuthorizationAppleIDProvider()
            if (try? await provider.credentialState(forUserID: appleUserID)) == .revoked {
                _ = await journal.client.signOut()
                isAuthenticated = false
            }
        }
    }
#endif
