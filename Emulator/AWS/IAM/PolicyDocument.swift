internal import Bytes

/// A parsed policy, ready for evaluation.
package struct PolicyDocument: Sendable, Equatable {
    /// The kind of policy determines which elements are required.
    package enum Kind: Sendable {
        /// A policy of a role, a user or a session: has resources, no principal.
        case identity
        /// A trust policy: has principals, no resource.
        case trust
        /// A bucket policy: has both.
        case resource
    }

    /// Allows `*` on everything: the permissions of the developer's keys.
    package static let everything = PolicyDocument(statements: [
        PolicyStatement(
            id: nil, effect: .allow, principals: nil,
            actions: .among([PolicyPattern("*", hasVariables: false)]),
            resources: .among([PolicyPattern("*", hasVariables: false)]), conditions: [])
    ])

    let statements: [PolicyStatement]
    /// Whether any statement has conditions or variables.
    let readsContext: Bool

    init(statements: [PolicyStatement]) {
        self.statements = statements
        readsContext = statements.contains { $0.readsContext }
    }

    /// A Deny overrides any Allow.
    package func decision(on request: AccessRequest) -> AccessDecision {
        var decision = AccessDecision.notAllowed
        for statement in statements where statement.applies(to: request) {
            switch statement.effect {
            case .deny: return .denied
            case .allow: decision = .allowed
            }
        }
        return decision
    }
}

package enum AccessDecision: Sendable, Equatable {
    case allowed
    /// A statement denies the request explicitly, which overrides any Allow.
    case denied
    /// No statement allows the request.
    case notAllowed
}

/// An action on a resource, to be authorised.
package struct AccessRequest: Sendable {
    /// `s3:GetObject`
    package var action: String
    /// An ARN, or `*` for actions without a resource.
    package var resource: String
    package var principal: PrincipalNames
    package var context: PolicyContext

    package init(
        action: String, resource: String, principal: PrincipalNames, context: PolicyContext
    ) {
        self.action = action
        self.resource = resource
        self.principal = principal
        self.context = context
    }
}
