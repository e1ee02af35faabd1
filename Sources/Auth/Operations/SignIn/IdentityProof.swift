internal import AuthDomain
internal import IdentityProviders
internal import Time

/// An identity token as a client presents it.
package struct IdentityProof: Sendable {
    package var provider: String
    package var idToken: String
    package var nonce: String?

    package init(provider: String, idToken: String, nonce: String? = nil) {
        self.provider = provider
        self.idToken = idToken
        self.nonce = nonce
    }
}

extension AuthServices {
    /// Verifies the token by the contract's rules. Whether it was used before is checked later
    /// (`IdentityLookup`).
    func verified(_ proof: IdentityProof) throws(AuthError) -> VerifiedIdentity {
        let gateway = try identityProviders
        guard gateway.providers.contains(where: { $0.utf8.elementsEqual(proof.provider.utf8) })
        else { throw .signIn(.unknownProvider) }
        logFacts.values.provider = proof.provider
        if policy.identity.requiresNonce, proof.nonce == nil { throw .signIn(.nonceRequired) }
        let expectation: NonceExpectation =
            switch policy.identity.nonce {
            case .none: .ignored
            case .chosenByClient: proof.nonce.map { .exactly($0) } ?? .ignored
            case .issued: .exactly(proof.nonce)
            }
        do {
            return try gateway.verify(proof.provider, proof.idToken, expectation, clock.now())
        } catch {
            throw .signIn(.identityRejected(error))
        }
    }

    /// Verifies the proof in a request of a signed-in user. An invalid identity token is counted,
    /// like a valid one.
    func verified(
        _ proof: IdentityProof, for operation: AuthOperation, by caller: Caller
    ) throws(AuthError) -> VerifiedIdentity {
        do {
            return try verified(proof)
        } catch {
            if case .signIn(.identityRejected) = error {
                _ = try authenticate(caller, for: operation)
            }
            throw error
        }
    }

    /// The nonce, if the contract has nonces that the server issues for single use.
    func issuedNonce(_ nonce: String?) -> String? {
        policy.identity.nonce == .issued ? nonce : nil
    }
}
