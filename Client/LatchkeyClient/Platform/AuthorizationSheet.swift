#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    internal import AuthenticationServices

    /// A sheet of the system that asks the user for a credential. It handles one request at a time.
    @MainActor
    final class AuthorizationSheet: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        /// The user's answer, without system objects, which must not be passed to other tasks.
        enum Answer: Sendable {
            case apple(IdentityCredential)
            /// The passkey in the form of `PublicKeyCredential.toJSON()`.
            case passkey(JSON)
        }
        private typealias Outcome = Result<Answer, AuthError>

        /// The request that waits above the keyboard. The system refuses other requests meanwhile.
        private static weak var waiting: AuthorizationSheet?

        private let anchor: ASPresentationAnchor
        private var waiter: CheckedContinuation<Outcome, Never>?
        private var controller: ASAuthorizationController?

        init(anchor: ASPresentationAnchor) { self.anchor = anchor }

        /// Throws `cancelled` if the user declines, the task is cancelled, or another request
        /// replaces one that waits.
        ///
        /// - Parameter waits: whether the request waits above the keyboard.
        func ask(
            _ request: ASAuthorizationRequest, waits: Bool = false,
            _ perform: (ASAuthorizationController) -> Void = { $0.performRequests() }
        ) async throws(AuthError) -> Answer {
            guard waiter == nil else { throw .unsupported("two sheets at once") }
            Self.waiting?.close()
            let controller = ASAuthorizationController(authorizationRequests: [request])
            controller.delegate = self
            controller.presentationContextProvider = self
            self.controller = controller
            if waits { Self.waiting = self }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiter = continuation
                    perform(controller)
                }
            } onCancel: {
                // This task is unstructured, because it only closes the sheet.
                Task { @MainActor in self.close() }
            }
            return try outcome.get()
        }

        /// Ends the request. The system may report the end of a request above the keyboard late or
        /// never, so the waiting task does not wait for it.
        func close(_ error: AuthError = .cancelled) {
            let closed = controller
            end(.failure(error))
            closed?.cancel()
        }

        private func end(_ outcome: Outcome) {
            waiter?.resume(returning: outcome)
            waiter = nil
            controller = nil
            if Self.waiting === self { Self.waiting = nil }
        }

        func authorizationController(
            controller: ASAuthorizationController,
            didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            guard controller === self.controller else { return }
            do throws(AuthError) {
                end(.success(try Self.answer(authorization.credential)))
            } catch {
                end(.failure(error))
            }
        }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            guard controller === self.controller else { return }
            end(.failure(AuthError(authorization: error)))
        }

        func presentationAnchor(
            for controller: ASAuthorizationController
        ) -> ASPresentationAnchor { anchor }

        private static func answer(
            _ credential: any ASAuthorizationCredential
        ) throws(AuthError) -> Answer {
            switch credential {
            case let apple as ASAuthorizationAppleIDCredential:
                .apple(try IdentityCredential(apple, nonce: nil))
            case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                passkey(
                    made.credentialID,
                    [
                        "clientDataJSON": made.rawClientDataJSON,
                        "attestationObject": made.rawAttestationObject,
                    ])
            case let used as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                passkey(
                    used.credentialID,
                    [
                        "clientDataJSON": used.rawClientDataJSON,
                        "authenticatorData": used.rawAuthenticatorData,
                        "signature": used.signature, "userHandle": used.userID,
                    ])
            default: throw .unsupported("a credential of another kind")
            }
        }

        private static func passkey(_ id: Data, _ response: [String: Data?]) -> Answer {
            let id = Base64URL.encode(id).json
            let members = response.mapValues { $0.map { Base64URL.encode($0).json } }
            return .passkey(
                .object([
                    "id": id, "rawId": id, "type": "public-key", "response": .members(members),
                ]))
        }
    }
#endif
