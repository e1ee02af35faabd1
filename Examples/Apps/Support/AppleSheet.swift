#if canImport(AuthenticationServices)
    package import AuthenticationServices

    /// The sheet of Sign in with Apple.
    @MainActor package final class AppleSheet: NSObject, ASAuthorizationControllerDelegate {
        package struct Answer: Sendable {
            package let identityToken: String
            package let authorizationCode: String?
            /// With the first sign-in only.
            package let fullName: PersonNameComponents?
            package let email: String?
        }

        private var report: (@MainActor (Result<Answer, any Error>) -> Void)?

        /// The answer is to be sent to the server at once: its token is good for ten minutes.
        package func show(_ report: @escaping @MainActor (Result<Answer, any Error>) -> Void) {
            self.report = report
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = [.email, .fullName]
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.performRequests()
        }

        package func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let identityToken = credential.identityToken,
                let token = String(data: identityToken, encoding: .utf8)
            else { return }
            let code = credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
            report?(
                .success(
                    Answer(
                        identityToken: token, authorizationCode: code,
                        fullName: credential.fullName, email: credential.email)))
        }

        package func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) { report?(.failure(error)) }
    }
#endif
