#if canImport(AuthenticationServices)
    import AuthenticationServices

    /// The system's browser, without cookies of others; there is no other browser to fall back to.
    @MainActor
    final class WebAuthentication: NSObject, WebAuthenticator,
        ASWebAuthenticationPresentationContextProviding
    {
        private let anchor: ASPresentationAnchor

        init(anchor: ASPresentationAnchor) { self.anchor = anchor }

        func authenticate(_ page: URL, callbackScheme: String) async throws -> URL {
            try await withCheckedThrowingContinuation { continuation in
                let session = ASWebAuthenticationSession(
                    url: page, callbackURLScheme: callbackScheme
                ) { url, error in
                    if let url {
                        continuation.resume(returning: url)
                    } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                        continuation.resume(throwing: GoogleSignInError.userCancelled)
                    } else {
                        continuation.resume(
                            throwing: GoogleSignInError.webAuthenticationUnavailable)
                    }
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = true
                if !session.start() {
                    continuation.resume(throwing: GoogleSignInError.webAuthenticationUnavailable)
                }
            }
        }

        func presentationAnchor(
            for session: ASWebAuthenticationSession
        ) -> ASPresentationAnchor { anchor }
    }
#endif
