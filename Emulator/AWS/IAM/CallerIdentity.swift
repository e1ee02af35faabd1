package import Time

/// The caller of a request and its permissions.
package struct CallerIdentity: Sendable {
    package let account: String
    /// The ARN in `GetCallerIdentity`: the session's ARN, not its role's.
    package let arn: String
    package let userID: String
    package let role: RoleSession?
    /// nil for long-term keys.
    package let sessionIssuedAt: Instant?
    /// Whether the session was revoked. A revoked session is still authenticated, but has no
    /// permissions.
    package let isRevoked: Bool
    package let tags: [SessionTag]

    private let kind: Kind
    /// nil for the root user, who has all permissions.
    private let policies: [PolicyDocument]?
    /// nil if the session has no session policy. (An empty list would allow nothing.)
    private let sessionPolicies: [PolicyDocument]?

    private enum Kind { case root, user, assumedRole }

    package var isRoot: Bool { kind == .root }

    init(_ user: IAMUser, account: String, session: IAMSession?, isRevoked: Bool) {
        self.account = account
        arn = user.arn
        userID = user.id
        role = nil
        sessionIssuedAt = session?.issuedAt
        self.isRevoked = isRevoked
        tags = user.tags
        kind = user.policies == nil ? .root : .user
        policies = user.policies
        sessionPolicies = nil
    }

    init(
        _ role: IAMRole, _ session: RoleSession, issuedAt: Instant, account: String,
        sessionPolicies: [PolicyDocument]?, isRevoked: Bool
    ) {
        self.account = account
        arn = "arn:aws:sts::\(account):assumed-role/\(role.name)/\(session.name)"
        userID = "\(role.id):\(session.name)"
        self.role = session
        sessionIssuedAt = issuedAt
        self.isRevoked = isRevoked
        // A session tag overrides a role tag with the same key, in any case.
        let own = role.tags.filter { tag in
            !session.tags.contains { ContextKey($0.key) == ContextKey(tag.key) }
        }
        tags = own + session.tags
        kind = .assumedRole
        policies = role.policies
        self.sessionPolicies = sessionPolicies
    }

    /// The names that a `Principal` element can use for this identity.
    package var names: PrincipalNames {
        PrincipalNames(account: account, arns: [arn] + (role.map { [$0.roleARN] } ?? []))
    }

    /// Adds the caller's condition keys.
    package func describe(in context: inout PolicyContext) {
        context.set("aws:PrincipalArn", role?.roleARN ?? arn)
        context.set("aws:PrincipalAccount", account)
        context.set("aws:userid", userID)
        for tag in tags { context.set("aws:PrincipalTag/\(tag.key)", tag.value) }
        switch kind {
        case .root: context.set("aws:PrincipalType", "Account")
        case .user:
            context.set("aws:PrincipalType", "User")
            context.set("aws:username", arn.split(separator: "/").last.map { String($0) })
        case .assumedRole: context.set("aws:PrincipalType", "AssumedRole")
        }
        context.set("aws:TokenIssueTime", sessionIssuedAt?.iso8601Seconds)
        guard let role else { return }
        context.set("aws:SourceIdentity", role.sourceIdentity)
        context.set("aws:FederatedProvider", role.provider)
        for key in role.keys { context.set(key.key, key.value) }
    }

    /// Whether this identity may make the request: no policy denies it, one of its own policies or
    /// the resource's policy allows it, and the session policy, if any, allows it too.
    package func decision(
        on action: String, _ resource: String, in context: @autoclosure () -> PolicyContext,
        resourcePolicy: PolicyDocument? = nil
    ) -> AccessDecision {
        if isRevoked { return .denied }
        // The context is built only if needed, because that costs more than evaluating most
        // policies.
        let asked = (policies ?? []) + (sessionPolicies ?? []) + (resourcePolicy.map { [$0] } ?? [])
        let readsContext = asked.contains { $0.readsContext }
        let request = AccessRequest(
            action: action, resource: resource, principal: names,
            context: readsContext ? context() : PolicyContext())
        let byResource = resourcePolicy?.decision(on: request) ?? .notAllowed
        let own = Self.union(policies ?? [.everything], request)
        let bySession = sessionPolicies.map { Self.union($0, request) } ?? .allowed
        guard ![own, byResource, bySession].contains(.denied) else { return .denied }
        guard own == .allowed || byResource == .allowed else { return .notAllowed }
        return bySession
    }

    private static func union(
        _ policies: [PolicyDocument], _ request: AccessRequest
    ) -> AccessDecision {
        var union = AccessDecision.notAllowed
        for policy in policies {
            switch policy.decision(on: request) {
            case .denied: return .denied
            case .allowed: union = .allowed
            case .notAllowed: continue
            }
        }
        return union
    }
}

extension IAMRole {
    /// Whether `identity`, or an anonymous caller with `names`, may assume this role by `action`.
    ///
    /// A trust policy that names the account delegates the decision to the identity's policies; one
    /// that names the principal itself decides.
    package func admits(
        _ identity: CallerIdentity?, as names: PrincipalNames, by action: String,
        in context: PolicyContext
    ) -> Bool {
        var request = AccessRequest(
            action: action, resource: arn, principal: names, context: context)
        guard trust.decision(on: request) == .allowed else { return false }
        guard let identity else { return true }
        let own = identity.decision(on: action, arn, in: context)
        guard own != .denied else { return false }
        request.principal = names.withoutAccount
        return own == .allowed || trust.decision(on: request) == .allowed
    }
}
