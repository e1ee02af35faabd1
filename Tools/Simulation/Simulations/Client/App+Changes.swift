import LatchkeyClient

/// Changes of an account: its address and its sign-in methods.
extension App {
    func change(_ call: ClientCall, _ input: CallInput) async throws(AuthError) -> CallResult {
        let client = client
        let isByCode = input.choice % 2 == 0
        let proof = isByCode ? input.code.map(MailProof.code) : input.token.map(MailProof.token)
        switch call {
        case .changeEmail:
            _ = try await proven(input) { () async throws(AuthError) in
                try await client.changeEmail(to: input.newEmail)
            }
        case .requestConfirmation: _ = try await client.requestConfirmation()
        case .confirmEmail:
            guard let proof else { return .skipped }
            try await client.confirmEmail(proof)
        case .undoEmail:
            guard let token = input.token else { return .skipped }
            try await client.undoEmailChange(token: token)
        case .undoChange:
            guard let token = input.token else { return .skipped }
            try await client.undoChange(token: token)
        case .linkIdentity: try await link(input)
        case .removeMethod:
            _ = try await proven(input) { () async throws(AuthError) in
                try await client.removeMethod(input.method)
            }
        case .addPassword:
            _ = try await proven(input) { () async throws(AuthError) in
                try await client.addPassword(input.password, email: input.newEmail)
            }
        case .confirmPassword:
            guard let proof else { return .skipped }
            _ = try await client.confirmPassword(proof)
        case .stepUp: return try await stepUp(input)
        case .mergeSessions:
            guard let other = input.other else { return .skipped }
            _ = try await client.merge(into: .session(other.client))
        case .signInOnPage:
            let begun = try await client.beginPageSignIn(returnTo: "com.example.app:/signed-in")
            guard let callback = openPage(begun.url, input.identityToken) else { return .skipped }
            _ = try await client.signIn(begun, callback: callback)
        default: return .skipped
        }
        return .success(nil)
    }

    private func link(_ input: CallInput) async throws(AuthError) {
        let client = client
        let challenge = try await client.challenge()
        let credential = IdentityCredential(
            provider: input.method, idToken: input.identityToken, nonce: challenge.nonce)
        _ = try await proven(input) { () async throws(AuthError) in
            try await client.link(credential)
        }
    }

    /// - Returns: success with "foreign" if the proof belongs to another person.
    private func stepUp(_ input: CallInput) async throws(AuthError) -> CallResult {
        let proof: StepUpProof
        switch input.choice % 4 {
        case 0:
            guard let token = input.token else { return .skipped }
            proof = .mail(.token(token))
        case 1:
            let nonce = try await client.challenge().nonce
            proof = .identity(
                IdentityCredential(
                    provider: "apple", idToken: input.identityToken, nonce: nonce))
        case 2:
            guard !wallet.passkeys.isEmpty else { return .skipped }
            proof = .passkey(try await use(input, for: .stepUp))
        default:
            guard let others = input.othersWallet, !others.passkeys.isEmpty else { return .skipped }
            proof = .passkey(try await use(input, for: .stepUp, of: others))
            try await client.stepUp(proof)
            return .success("foreign")
        }
        try await client.stepUp(proof)
        return .success(nil)
    }
}
