#if canImport(AuthenticationServices)
    public import AuthenticationServices

    extension IdentityCredential {
        /// The credential that a `SignInWithAppleButton`, or the app's own controller, returns.
        /// Throws `cancelled` if the user has declined, and `unavailable` if Apple has sent no
        /// token.
        ///
        /// - Parameters:
        ///   - result: the argument of `onCompletion`.
        ///   - nonce: the nonce of the request: see ``LatchkeyClient/challenge()``.
        public init(
            apple result: Result<ASAuthorization, any Error>, nonce: String?
        ) throws(AuthError) {
            let authorization: ASAuthorization
            do {
                authorization = try result.get()
            } catch {
                throw AuthError(authorization: error)
            }
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential
            else { throw .unsupported("a credential of another kind") }
            try self.init(credential, nonce: nonce)
        }

        init(_ apple: ASAuthorizationAppleIDCredential, nonce: String?) throws(AuthError) {
            guard let token = Self.text(apple.identityToken) else {
                throw .unavailable(retryAfter: nil)
            }
            self.init(
                provider: "apple", idToken: token, nonce: nonce,
                authorizationCode: Self.text(apple.authorizationCode),
                givenName: apple.fullName?.givenName, familyName: apple.fullName?.familyName,
                email: apple.email, userID: apple.user)
        }

        private static func text(_ data: Data?) -> String? {
            data.flatMap { String(data: $0, encoding: .utf8) }
        }
    }

    extension AuthError {
        /// The text contains the code of the ASAuthorizationError. For example, a passkey fails
        /// with 1004 if the associated domain is missing, and Sign in with Apple fails with 1000 if
        /// the device has no Apple account.
        init(authorization error: any Error) {
            switch (error as? ASAuthorizationError)?.code {
            case .canceled: self = .cancelled
            // `matchedExcludedCredential` of iOS 18: the account has a passkey there already.
            case let code? where code.rawValue == 1006:
                self = .refused(Refusal(status: 0, code: "PASSKEY_ALREADY_ADDED"))
            case let code?: self = .unsupported("the sheet: ASAuthorizationError \(code.rawValue)")
            case nil: self = .unsupported("the sheet: \(type(of: error))")
            }
        }
    }
#endif
