internal import AuthDomain
internal import Bytes
internal import JSON
internal import Time

/// The kinds of tokens and responses to which the application can add claims.
enum TokenTarget: String {
    case accessToken, idToken, userinfo
}

/// Calls the hook `token` for a client's request. The answers are kept for the request, so that a
/// lost race does not call the hook again.
final class GrantHook {
    private let auth: AuthServices
    private let client: Client
    private let operation: AuthOperation
    private let caller: Caller
    private var answers: [TokenTarget: JSONObject] = [:]

    init(_ auth: AuthServices, _ client: Client, _ operation: AuthOperation, _ caller: Caller) {
        self.auth = auth
        self.client = client
        self.operation = operation
        self.caller = caller
    }

    func claims(
        of target: TokenTarget, for user: User, _ session: Session, audience: String,
        _ scope: [String], _ reason: TokenReason?
    ) throws(AuthError) -> AddedClaims {
        guard auth.hooks?.has(.token) ?? false else { return .none(for: user) }
        let claims = try claims(
            of: target, HookEvent.members(of: session, user), session.origin.provider,
            audience: audience, scope, reason)
        return AddedClaims(claims, for: user)
    }

    /// The claims of a token that the client has for itself.
    func ownClaims(audience: String, _ scope: [String]) throws(AuthError) -> JSONObject {
        guard auth.hooks?.has(.token) ?? false else { return JSONObject() }
        return try claims(of: .accessToken, [:], nil, audience: audience, scope, .client)
    }

    private func claims(
        of target: TokenTarget, _ known: JSONObject, _ provider: String?, audience: String,
        _ scope: [String], _ reason: TokenReason?
    ) throws(AuthError) -> JSONObject {
        if let known = answers[target] { return known }
        guard let hooks = auth.hooks else { return JSONObject() }
        var members = known
        members["reason"] = reason.map { .string($0.rawValue) }
        members["target"] = .string(target.rawValue)
        members["application"] = HookEvent.member(of: client)
        members["scope"] = .array(scope.map { .string($0) })
        members["resource"] = .string(audience)
        let event = HookEvent(.token, auth, operation, provider, members, caller)
        let claims =
            try hooks.answer(to: event) { bytes throws(HookFailure) in
                try TokenHookAnswer.claims(parsing: bytes, own: [])
            } ?? JSONObject()
        answers[target] = claims
        return claims
    }
}

extension HookEvent {
    static func member(of client: Client) -> JSON {
        ["id": .string(client.id), "name": .string(client.name)]
    }

    /// The parts of the hook's request about the user, and the proof of who they are.
    static func members(of session: Session, _ user: User) -> JSONObject {
        let proof = session.proofs.latest
        var members: JSONObject = [
            "acr": .string(proof.strength.name),
            "authTime": .number(JSONNumber(proof.provenAt.seconds)),
            "user": .object(members(of: user)),
        ]
        members["amr"] = proof.references.map { .array($0.map { .string($0) }) }
        var device = JSONObject()
        device["name"] = session.origin.deviceName.map { .string($0) }
        device["system"] = session.origin.deviceSystem.map { .string($0) }
        if !device.isEmpty { members["device"] = .object(device) }
        return members
    }
}
