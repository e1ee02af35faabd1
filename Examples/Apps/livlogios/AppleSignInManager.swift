#if canImport(AuthenticationServices)
    import AppSupport
    import AuthenticationServices
    import Combine
    import LatchkeyClient

    /// The seed's manager: Apple's sheet, and then the client.
    @MainActor final class AppleSignInManager: ObservableObject {
        @Published var isAuthenticated = false
        @Published var error: String?
        private let journal: Journal
        private let sheet = AppleSheet()

        init(journal: Journal) { self.journal = journal }

        func signIn() {
            sheet.show { [self] answer in
                Task {
                    do {
                        let answer = try answer.get()
                        _ = try await journal.signIn(
                            AppleAuthRequest(
                                identityToken: answer.identityToken,
                                authorizationCode: answer.authorizationCode,
                                fullName: answer.fullName, email: answer.email))
                        isAuthenticated = true
                    } catch {
                        self.error = "\(error)"
                    }
                }
            }
        }

        /// At launch: a user who has withdrawn the app's use of the Apple account is signed out.
        func checkCredential(of appleUserID: String) async {
            let provider = ASAuthorizationAppleIDProvider()
            if (try? await provider.credentialState(forUserID: appleUserID)) == .revoked {
                _ = await journal.client.signOut()
                isAuthenticated = false
            }
        }
    }
#endif
