internal import AuthDomain
package import AuthRecords
internal import Bytes
internal import JSON

/// The application's decision about a client's request (hook `authorize`), before the person is
/// asked.
package enum AuthorizationAdvice: String, CaseIterable, Sendable {
    case allow
    /// The person is asked for consent, whatever they have decided before.
    case consent
    /// The person must prove again who they are. Then the hook is asked again.
    case stepUp
}

extension AuthServices {
    package var asksAboutClients: Bool { hooks?.has(.authorize) ?? false }

    /// Calls the hook for a request that would otherwise succeed. A refusal is `accessDenied`.
    package func advice(
        on asked: WaitingAuthorization, from client: Client, _ principal: Principal,
        _ caller: Caller
    ) throws(AuthError) -> AuthorizationAdvice {
        guard asked.agreedFor != principal.user.id else { return .allow }
        return try advice(
            on: asked.disclosed, asked.resources, from: client, .authorizeClient, principal, caller)
    }

    func advice(
        on scope: [String], _ resources: [String], from client: Client,
        _ operation: AuthOperation, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) -> AuthorizationAdvice {
        guard let hooks, hooks.has(.authorize) else { return .allow }
        var members = HookEvent.members(of: principal.session, principal.user)
        members["application"] = HookEvent.member(of: client)
        members["scope"] = .array(scope.map { .string($0) })
        members["resources"] = .array(resources.map { .string($0) })
        let event = HookEvent(
            .authorize, self, operation, principal.session.origin.provider, members, caller)
        return try hooks.answer(to: event) { bytes throws(HookFailure) in
            try AuthorizeAnswer.advice(parsing: bytes)
        }.map { advice throws(AuthError) in
            guard let advice else { throw .oauth(.accessDenied) }
            return advice
        } ?? .allow
    }
}

/// The response of the hook: `{"decision": "allow" | "refuse" | "consent" | "stepUp"}`. Anything
/// else is a failure of the hook.
enum AuthorizeAnswer {
    private static let limits = JSONLimits(
        bytesMax: HookAnswer.bytesMax, depthMax: 2, membersMax: 16)

    /// nil for a refusal.
    static func advice(parsing bytes: [UInt8]) throws(HookFailure) -> AuthorizationAdvice? {
        guard bytes.count <= HookAnswer.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: limits))?.objectValue?.members,
            members.count == 1, members[0].name.isSame(as: "decision"),
            let decision = members[0].value.stringValue
        else { throw .malformed }
        if decision.isSame(as: "refuse") { return nil }
        guard let advice = AuthorizationAdvice(rawValue: decision) else { throw .malformed }
        return advice
    }
}
