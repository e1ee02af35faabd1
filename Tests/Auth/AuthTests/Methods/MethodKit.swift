// Linking, for tests: identity tokens are plain text (`IdentityProviderGateway.plainText`).
extension AuthKit {
    func proof(_ provider: String, _ subject: String, _ email: String = "") -> IdentityProof {
        let serial = Hex.encode(auth.random.bytes(8))
        return IdentityProof(
            provider: provider, idToken: "\(provider)|\(subject)|\(email)|\(serial)")
    }

    func caller(_ tokens: SessionTokens) -> Caller {
        Caller(address: "192.0.2.1", bearerText: tokens.access.reveal())
    }

    @discardableResult
    func link(
        _ provider: String, _ subject: String, _ email: String = "", code: String? = nil,
        by tokens: SessionTokens
    ) throws -> SignInMethods {
        let input = LinkIdentity.Input(proof(provider, subject, email), authorizationCode: code)
        return try auth.linkIdentity(input, caller(tokens)).methods
    }

    func signIn(
        _ provider: String, _ subject: String, _ email: String = "", code: String? = nil
    ) throws -> SignIn.Output {
        let proof = proof(provider, subject, email)
        var input = SignIn.Input(provider: provider, idToken: proof.idToken)
        input.authorizationCode = code
        return try auth.signIn(input, Caller())
    }

    func methods(_ tokens: SessionTokens) throws -> [String] {
        let methods = try auth.listMethods(caller(tokens))
        return methods.identities.map(\.provider) + (methods.hasPassword ? ["password"] : [])
    }
}
