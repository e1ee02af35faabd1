#if canImport(AuthenticationServices)
    import AppSupport
    import AuthenticationServices
    import LatchkeyClient

    /// The system's browser with its own cookies. There is no other browser as a fallback.
    @MainActor
    final class WebAuthentication: WebAuthenticator {
        private let browser: PageAuthorization

        init(anchor: ASPresentationAnchor) {
            browser = PageAuthorization(anchor: anchor, prefersEphemeralSession: true)
        }

        func authenticate(_ page: URL, returnTo address: String) async throws -> URL {
            do throws(ClientError) {
                return try await browser.open(page, returnTo: address)
            } catch .cancelled {
                throw GoogleSignInError.userCancelled
            } catch {
                throw GoogleSignInError.webAuthenticationUnavailable
            }
        }
    }
#endif
