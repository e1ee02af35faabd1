import Foundation
import LatchkeyClient

extension App {
    /// Completes a sign-in, with the second factor if the account has one.
    func complete(
        _ result: SignInResult, _ input: CallInput
    ) async throws(AuthError) -> CallResult {
        guard case .secondFactorRequired(let challenge) = result else { return .success(nil) }
        if input.choice % 8 == 5, challenge.methods.contains("passkey"), !wallet.passkeys.isEmpty {
            _ = try await client.answer(
                challenge, with: .passkey(try await use(input, for: .secondFactor(challenge))))
            return .success(nil)
        }
        for app in wallet.apps {
            let code = FactorAnswer.code(wallet.code(of: app))
            // The app does not wait for the response, and sends the factor twice.
            let twin =
                input.choice % 4 == 0
                ? Task { try? await client.answer(challenge, with: code) } : nil
            do throws(AuthError) {
                _ = try await client.answer(challenge, with: code)
                // Tries the used ticket again.
                if input.choice % 4 == 1, let spare = wallet.recoveryCodes.last {
                    _ = try? await client.answer(challenge, with: .recoveryCode(spare))
                }
                return .success(nil)
            } catch .refused {
                if await twin?.value != nil { return .success(nil) }
            }
        }
        return .secondFactor
    }

    /// Performs an operation that needs a recent proof of who the user is.
    func proven<Value: Sendable>(
        _ input: CallInput, _ body: @Sendable () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        do throws(AuthError) {
            return try await body()
        } catch .refused(let refusal) where refusal.stepUp != nil {
            let proof = wallet.apps.first.map { StepUpProof.code(wallet.code(of: $0)) }
            do throws(AuthError) {
                try await client.stepUp(proof ?? .password(input.password))
            } catch .refused where proof != nil {
                try await client.stepUp(.password(input.password))
            }
            return try await body()
        }
    }

    func enrolFactor(_ input: CallInput) async throws(AuthError) {
        let client = client
        let enrolment = try await proven(input) { () async throws(AuthError) in
            try await client.enrolFactor()
        }
        wallet.recoveryCodes = []
        wallet.recoveryCodes = try await client.confirmFactor(
            code: wallet.addApp(secret: enrolment.secret))
    }

    func removeFactor(_ input: CallInput) async throws(AuthError) -> CallResult {
        guard let app = wallet.apps.first else { return .skipped }
        let (client, code) = (client, wallet.code(of: app))
        _ = try await proven(input) { () async throws(AuthError) in
            try await client.removeFactor(.code(code))
        }
        return .success(nil)
    }

    func signUpWithPasskey() async throws(AuthError) {
        let ceremony = try await client.passkeyOptions(for: .signUp())
        _ = try await client.signUp(try newPasskey(ceremony))
    }

    func addPasskey(_ input: CallInput) async throws(AuthError) {
        let client = client
        let ceremony = try await proven(input) { () async throws(AuthError) in
            try await client.passkeyOptions(for: .add())
        }
        let response = try newPasskey(ceremony)
        _ = try await proven(input) { () async throws(AuthError) in
            try await client.addPasskey(response)
        }
    }

    func removePasskey(_ input: CallInput) async throws(AuthError) -> CallResult {
        let passkeys = try await client.passkeys()
        guard !passkeys.isEmpty else { return .skipped }
        let (client, id) = (client, passkeys[input.choice % passkeys.count].id)
        try await proven(input) { () async throws(AuthError) in
            try await client.removePasskey(id: id)
        }
        return .success(nil)
    }

    func signInWithPasskey(_ input: CallInput) async throws(AuthError) -> CallResult {
        guard !wallet.passkeys.isEmpty else { return .skipped }
        let response = try await use(input, for: .signIn)
        let (client, isTwice) = (client, input.choice % 4 == 0)
        let twin = isTwice ? Task { try? await client.signIn(response) } : nil
        let result = try await complete(try await client.signIn(response), input)
        _ = await twin?.value
        return result
    }

    /// A guest signs in with an identity. The identity is added to the guest's account, or that
    /// account is merged into the one that has the identity.
    func keepGuest(_ input: CallInput) async throws(AuthError) {
        let challenge = try await client.challenge()
        let credential = IdentityCredential(
            provider: "apple", idToken: input.identityToken, nonce: challenge.nonce)
        do throws(AuthError) {
            _ = try await client.link(credential)
        } catch .refused(let refusal) where refusal.mergeTicket != nil {
            let app = wallet.apps.first
            _ = try await client.merge(
                into: .ticket(refusal.mergeTicket ?? ""),
                factor: app.map { .code(wallet.code(of: $0)) })
        }
    }

    /// - Parameter others: the authenticators of another person, used instead of the person's own.
    func use(
        _ input: CallInput, for purpose: PasskeyPurpose, of others: Wallet? = nil
    ) async throws(AuthError) -> PasskeyResponse {
        let ceremony = try await client.passkeyOptions(for: purpose)
        let wallet = others ?? wallet
        let credential = platform { try wallet.usePasskey(input.choice / 4, $0) }
        return PasskeyResponse(
            ceremony: ceremony.id, credential: try credential(ceremony.options).get())
    }

    private func newPasskey(_ ceremony: PasskeyCeremony) throws(AuthError) -> PasskeyResponse {
        let make = platform(wallet.makePasskey)
        return PasskeyResponse(
            ceremony: ceremony.id, credential: try make(ceremony.options).get())
    }

    /// Answers the options of a ceremony as the system would.
    private func platform(
        _ body: @escaping ([UInt8]) throws -> [UInt8]
    ) -> (Data) -> Result<Data, AuthError> {
        { options in
            do {
                return .success(Data(try body([UInt8](options))))
            } catch {
                return .failure(.unsupported("\(error)"))
            }
        }
    }
}
