internal import Bytes

/// One statement of a policy.
struct PolicyStatement: Sendable, Equatable {
    enum Effect: Sendable, Equatable { case allow, deny }

    /// `Action` or `NotAction`, `Resource` or `NotResource`.
    enum Choice: Sendable, Equatable {
        case among([PolicyPattern])
        case except([PolicyPattern])

        func holds(for text: some Sequence<UInt8>, in context: PolicyContext) -> Bool {
            let bytes = Array(text)
            return switch self {
            case .among(let patterns): patterns.contains { $0.matches(bytes, in: context) }
            case .except(let patterns): !patterns.contains { $0.matches(bytes, in: context) }
            }
        }

        var hasVariables: Bool {
            switch self {
            case .among(let patterns), .except(let patterns):
                patterns.contains { $0.hasVariables }
            }
        }
    }

    let id: String?
    let effect: Effect
    /// nil in identity-based policies.
    let principals: PrincipalChoice?
    let actions: Choice
    /// nil in a trust policy.
    let resources: Choice?
    let conditions: [PolicyCondition]

    /// Whether its evaluation needs more than the caller, the action and the resource.
    var readsContext: Bool {
        !conditions.isEmpty || actions.hasVariables || resources?.hasVariables ?? false
    }

    func applies(to request: AccessRequest) -> Bool {
        // Actions are case-insensitive: the patterns were lowercased when parsed.
        let action = request.action.utf8.map(\.lowercased)
        return actions.holds(for: action, in: request.context)
            && resources?.holds(for: request.resource.utf8, in: request.context) ?? true
            && principals?.holds(for: request.principal) ?? true
            && conditions.allSatisfy { $0.holds(in: request.context) }
    }
}
