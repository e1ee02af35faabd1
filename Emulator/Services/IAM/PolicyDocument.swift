internal import Bytes

/// A policy that was read: what it says, ready to be asked.
package struct PolicyDocument: Sendable, Equatable {
    /// Where a policy stands decides what it must say.
    package enum Kind: Sendable {
        /// Of a role, a user or a session: names resources, never a principal.
        case identity
        /// Who may assume a role: names principals, never a resource.
        case trust
        /// Of a bucket: names both.
        case resource
    }

    /// `*` on everything: what a developer's own keys may do.
    package static let everything = PolicyDocument(statements: [
        PolicyStatement(
            id: nil, effect: .allow, principals: nil,
            actions: .among([PolicyPattern("*", hasVariables: false)]),
            resources: .among([PolicyPattern("*", hasVariables: false)]), conditions: [])
    ])

    let statements: [PolicyStatement]
    /// Whether any statement asks for the context of a request.
    let readsContext: Bool

    init(statements: [PolicyStatement]) {
        self.statements = statements
        readsContext = statements.contains { $0.readsContext }
    }

    /// A deny wins over any number of allows.
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
    /// By an explicit `Deny`, which no `Allow` outweighs.
    case denied
    /// Nothing says that it is.
    case notAllowed
}

/// An action on a resource, to be authorised.
package struct AccessRequest: Sendable {
    /// `s3:GetObject`
    package var action: String
    /// An ARN, or `*` for what has none.
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
