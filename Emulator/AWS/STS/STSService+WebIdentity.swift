internal import Time

extension STSService {
    /// The only unsigned operation: the token authenticates it.
    func assumeRoleWithWebIdentity(
        _ parameters: STSParameters, _ exchange: STSRequest
    ) throws(STSError) -> STSAnswer {
        let refusal = STSError.accessDenied(
            "Not authorized to perform sts:AssumeRoleWithWebIdentity")
        var parameters = parameters
        var request = try SessionRequest(&parameters)
        let token = parameters.text("WebIdentityToken", length: 4...20_000, isRequired: true)
        try parameters.check()
        let identity = try WebIdentity(
            verifying: token ?? "", in: authority.directory, keys: keys,
            at: exchange.now - authority.ahead())
        try Self.checkTags(identity.tags, identity.transitiveTagKeys)
        let account = authority.directory.account
        let provider = identity.provider.principal(account: account)
        request.session.provider = provider
        request.session.keys = identity.keys
        request.session.tags = identity.tags
        request.session.transitiveTagKeys = identity.transitiveTagKeys
        request.session.sourceIdentity = identity.sourceIdentity
        let role = try request.role(in: authority.directory, orElse: refusal)

        var context = PolicyContext(exchange.call, at: exchange.now)
        for key in identity.keys { context.set(key.key, key.value) }
        context.set("aws:FederatedProvider", provider)
        request.describe(in: &context)
        var actions = ["sts:AssumeRoleWithWebIdentity"]
        if !identity.tags.isEmpty { actions.append("sts:TagSession") }
        if identity.sourceIdentity != nil { actions.append("sts:SetSourceIdentity") }
        let names = PrincipalNames(federated: [provider])
        for action in actions where !role.admits(nil, as: names, by: action, in: context) {
            throw refusal
        }

        let lifetime = try request.lifetime(of: role, isChained: false)
        let credentials = try issue(
            IAMSession(
                issuedAt: exchange.now, expiresAt: exchange.now + lifetime, role: request.session))
        return STSAnswer(
            operation: .assumeRoleWithWebIdentity,
            elements: [
                .text("SubjectFromWebIdentityToken", identity.subject),
                .text("Audience", identity.audience), request.user(of: role, account: account),
                .credentials(credentials), .text("Provider", provider),
            ] + request.trailer)
    }
}
