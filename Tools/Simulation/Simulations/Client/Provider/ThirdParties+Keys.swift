import AuthTestSupport

/// Programs with a key, to which their tokens are bound, and thieves of their tokens.
extension ThirdParties {
    /// The key of the program, if the token is bound to it.
    func boundKey(of token: String, _ holding: Holding) -> ProofKey? {
        holding.program.key.flatMap { key in
            ClientToken(token)?.boundTo == key.thumbprint ? key : nil
        }
    }

    func keyProof(of holding: Holding, for token: String, at resource: String) -> String? {
        boundKey(of: token, holding).map {
            proof(of: $0, "GET", resource + ProviderSettings.pathOfResources, for: token)
        }
    }

    /// Whether a resource server that verifies tokens itself may accept the token with this proof.
    func hasKey(_ token: ClientToken, _ text: String?, at resource: String) -> Bool {
        guard let bound = token.boundTo else { return text == nil }
        guard let text, let proof = ShownProof(text), !takenProofs.contains(text) else {
            return false
        }
        let url = resource + ProviderSettings.pathOfResources
        let ageMax = simulation.facts.policy.proofs?.ageMax ?? .zero
        return proof.thumbprint == bound && proof.isFor(("GET", url), token: token.text)
            && proof.isFresh(at: context.scheduler.clock.now, ageMax, leeway: .zero)
    }

    /// Presents a token to the functions as a gateway does.
    func askGateway(
        _ token: String, at resource: String, _ person: Int, proof: String?, isBound: Bool? = nil,
        isThief: Bool = false
    ) {
        simulation.askGateway(
            token, proof, isBound: isBound ?? (proof != nil), for: resource,
            Origin(person: person, device: 1991, process: 0, isThief: isThief))
    }

    // MARK: Thieves

    /// A thief has seen the code and its verifier, but does not have the key that the code needs.
    func stealWithoutKey(
        _ code: String, _ asked: AccessRequest, of program: Program, _ person: Int,
        _ choices: Choices
    ) async {
        // Without a key, the verifier suffices to use the code of a program without a secret.
        guard asked.proofKey != nil else { return }
        let other = ProofKey.named("thief").map(program.makeProof)
        _ = await tokens(
            for: code, asked, of: program, person: person, resource: asked.resources.first,
            proof: choices.happens(50) ? .none : other.map(KeyProof.given) ?? .none, isThief: true)
    }

    /// Uses tokens that are bound to a key without that key.
    func abuseKey(of holding: Holding, _ choices: Choices) async {
        guard let key = holding.program.key, let thief = ProofKey.named("thief") else { return }
        let (program, person) = (holding.program, holding.person)
        func refresh(_ token: String?, _ proof: KeyProof) async {
            let pairs = Self.refreshing(token)
            _ = await send(
                program.request("/oauth/token", pairs, proof: proof), of: person, isThief: true)
        }
        switch choices.draw(below: 9) {
        case 0: await refresh(holding.refresh, .none)
        case 1: await refresh(holding.refresh, .given(program.makeProof(thief)))
        case 2:
            guard let seen = lastProofs.last else { return }
            await refresh(holding.refresh, .given(seen))
        case 3:
            // Sends a proof for another URL.
            await refresh(
                holding.refresh, .given(proof(of: key, "POST", "https://evil.example/token")))
        case 4: await refresh(holding.former.first ?? holding.refresh, .none)
        default: await abuseBound(holding, key, thief, choices)
        }
    }

    /// Uses an access token that is bound to a key, without a valid proof.
    private func abuseBound(
        _ holding: Holding, _ key: ProofKey, _ thief: ProofKey, _ choices: Choices
    ) async {
        let audiences = holding.accesses.keys.sorted()
        guard !audiences.isEmpty else { return }
        let audience = choices.one(of: audiences)
        let token = holding.accesses[audience] ?? ""
        let isServer = audience == ProviderSettings.issuer
        let url =
            isServer
            ? ProviderSettings.issuer + "/oauth/userinfo"
            : audience + ProviderSettings.pathOfResources
        let isByItself = choices.happens(50)
        func use(_ proof: String?) async {
            if isServer {
                _ = await send(
                    .get("/oauth/userinfo", bearer: token, proof: proof), of: holding.person,
                    isThief: true)
            } else if isByItself {
                check(token, at: audience, holding.person, proof: proof)
            } else {
                askGateway(token, at: audience, holding.person, proof: proof, isThief: true)
            }
        }
        let other = holding.accesses.values.sorted().first { $0 != token } ?? "another token"
        switch choices.draw(below: 5) {
        case 0: await use(nil)
        case 1: await use(proof(of: thief, "GET", url, for: token))
        case 2: await use(proof(of: key, "GET", url, for: other))
        case 3: await use(proof(of: key, "POST", url, for: token))
        default:
            // A thief has seen the whole request, with its proof.
            let own = proof(of: key, "GET", url, for: token)
            await use(own)
            await use(own)
        }
    }
}
