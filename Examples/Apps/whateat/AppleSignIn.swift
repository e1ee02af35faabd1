#if canImport(AuthenticationServices)
    import AppSupport
    import AuthenticationServices

    extension AuthManager {
        @MainActor func signInWithApple(_ sheet: AppleSheet) {
            sheet.show { answer in
                guard case .success(let answer) = answer else { return }
                Task {
                    await handleAppleSignIn(
                        idToken: answer.identityToken, fullName: answer.fullName)
                }
            }
        }
    }
#endif
