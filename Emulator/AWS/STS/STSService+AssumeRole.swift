internal import Bytes
internal import Time

extension STSService {
    func assumeRole(
        _ parameters: STSParameters, _ exchange: STSRequest, by caller: AuthenticatedCall
    ) throws(STSError) -> STSAnswer {
        var parameters = parameters
        var request = try SessionRequest(&parameters)
        let externalID = parameters.text("ExternalId", length: 2...1224, of: .externalID)
        let sourceIdentity = parameters.text("SourceIdentity", length: 2...64, of: .name)
        let tags = parameters.tags()
        let transitive = parameters.list("TransitiveTagKeys", countMax: 50)
        try parameters.check()
        try Self.checkTags(tags, transitive)

        let inherited = caller.identity.role
        try request.addTags(tags, transitive, inheriting: inherited)
        request.session.sourceIdentity = sourceIdentity ?? inherited?.sourceIdentity
        let arn = request.session.roleARN
        let refusal = STSError.notAuthorized(caller.identity, "sts:AssumeRole", arn)
        let role = try request.role(in: authority.directory, orElse: refusal)

        var context = PolicyContext(exchange.call, at: exchange.now)
        caller.identity.describe(in: &context)
        request.describe(in: &context)
        context.set("sts:ExternalId", externalID)
        var actions = ["sts:AssumeRole"]
        if !tags.isEmpty { actions.append("sts:TagSession") }
        if sourceIdentity != nil { actions.append("sts:SetSourceIdentity") }
        for action in actions
        where !role.admits(
            caller.identity, as: caller.identity.names, by: action, in: context)
        {
            throw .notAuthorized(caller.identity, action, arn)
        }
        // The source identity cannot be changed by role chaining.
        if let first = inherited?.sourceIdentity, let sourceIdentity,
            !first.isSame(as: sourceIdentity)
        {
            throw .notAuthorized(caller.identity, "sts:SetSourceIdentity", arn)
        }

        let lifetime = try request.lifetime(of: role, isChained: inherited != nil)
        let credentials = try issue(
            IAMSession(
                issuedAt: exchange.now, expiresAt: exchange.now + lifetime, role: request.session))
        return STSAnswer(
            operation: .assumeRole,
            elements: [
                request.user(of: role, account: authority.directory.account),
                .credentials(credentials),
            ] + request.trailer)
    }

    static func checkTags(_ tags: [SessionTag], _ transitive: [String]) throws(STSError) {
        for (index, tag) in tags.enumerated() {
            // Condition keys are case-insensitive, so such keys are duplicates.
            let isTwice = tags[..<index].contains { ContextKey($0.key) == ContextKey(tag.key) }
            guard !isTwice else {
                throw STSError(
                    400, "InvalidParameterValue",
                    "Duplicate tag keys found. Please note that Tag keys are case insensitive.")
            }
            guard !tag.key.lowercased().hasPrefix("aws:") else {
                throw STSError(
                    400, "InvalidParameterValue", "Tag keys must not begin with 'aws:'.")
            }
        }
        for key in transitive where !tags.contains(where: { $0.key.isSame(as: key) }) {
            throw STSError(
                400, "InvalidParameterValue",
                "The specified transitive tag key must be included in the requested tags.")
        }
    }
}

extension SessionRequest {
    /// The session's tags: the request's own, and the transitive ones of a role chain.
    fileprivate mutating func addTags(
        _ tags: [SessionTag], _ transitive: [String], inheriting session: RoleSession?
    ) throws(STSError) {
        let inheritedKeys = session?.transitiveTagKeys ?? []
        let inherited = (session?.tags ?? []).filter { tag in
            inheritedKeys.contains { ContextKey($0) == ContextKey(tag.key) }
        }
        for tag in tags
        where inherited.contains(where: { ContextKey($0.key) == ContextKey(tag.key) }) {
            throw STSError(
                400, "InvalidParameterValue",
                "One of the specified transitive tag keys can't be set because it conflicts with "
                    + "a transitive tag key from the calling session.")
        }
        self.session.tags = inherited + tags
        self.session.transitiveTagKeys = inheritedKeys + transitive
    }
}
