internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JSON
internal import Time

/// The consent of the hook `beforeSignIn` to a sign-in of one user; without such a hook, everybody
/// has it. `SessionPermit` requires it, so that no way to sign in can leave the hook out.
struct SignInApproval {
    let user: UserID
    let requiresSecondFactor: Bool

    fileprivate init(_ user: UserID, requiresSecondFactor: Bool = false) {
        self.user = user
        self.requiresSecondFactor = requiresSecondFactor
    }
}

/// Asks the hooks about one sign-in, after its proof is verified: a client without a valid proof
/// causes no call and learns nothing about the answers.
///
/// The answer holds for the request, so that a lost race does not ask again. The hooks are asked
/// before the write, because a refused sign-in must not consume anything.
struct SignInHook {
    private let auth: AuthServices
    private let operation: AuthOperation
    private let caller: Caller
    private var approved: SignInApproval?

    init(_ auth: AuthServices, _ operation: AuthOperation, _ caller: Caller) {
        self.auth = auth
        self.operation = operation
        self.caller = caller
    }

    /// - Parameters:
    ///   - provider: that of the session.
    ///   - isNew: whether the sign-in makes the account.
    ///   - methods: what was proven in this sign-in.
    mutating func approval(
        of user: User, by provider: String, isNew: Bool = false, provenBy methods: [ProofMethod]
    ) throws(AuthError) -> SignInApproval {
        if let approved, approved.user == user.id { return approved }
        var approval = SignInApproval(user.id)
        if let hooks = auth.hooks {
            do throws(AuthError) {
                if isNew {
                    _ = try answer(of: .beforeSignUp, hooks, user, provider, isNew, methods)
                }
                let answer = try answer(of: .beforeSignIn, hooks, user, provider, isNew, methods)
                approval = SignInApproval(
                    user.id, requiresSecondFactor: answer == .requireSecondFactor)
            } catch {
                let trail =
                    isNew ? auth.networkAudit(caller) : auth.audit(.attempts(on: user.id))
                try auth.record(error, on: trail, caller)
                throw error
            }
        }
        approved = approval
        return approval
    }

    private func answer(
        of kind: HookKind, _ hooks: HookServices, _ user: User, _ provider: String, _ isNew: Bool,
        _ methods: [ProofMethod]
    ) throws(AuthError) -> HookAnswer {
        guard hooks.has(kind) else { return .allow }
        var members = JSONObject()
        members["isNewUser"] = .bool(isNew)
        members["methods"] = .array(methods.map { .string($0.rawValue) })
        members["user"] = .object(HookEvent.members(of: user))
        return try auth.answer(of: kind, hooks, operation, provider, members, caller)
    }
}

extension AuthServices {
    /// Asks about an account that is made when its address is verified. The address may be taken:
    /// the hook is asked in either case, so that neither its work nor its answer reveals it.
    func askBeforeSignUp(
        email: EmailAddress, _ operation: AuthOperation, _ caller: Caller
    ) throws(AuthError) {
        guard let hooks, hooks.has(.beforeSignUp) else { return }
        var members = JSONObject()
        members["isNewUser"] = true
        members["methods"] = []
        members["user"] = ["email": .string(email.text), "isEmailVerified": false]
        do throws(AuthError) {
            _ = try answer(
                of: .beforeSignUp, hooks, operation, LinkedIdentity.passwordProvider, members,
                caller)
        } catch {
            try record(error, on: networkAudit(caller), caller)
            throw error
        }
    }

    fileprivate func record(
        _ error: AuthError, on trail: AuditTrail, _ caller: Caller
    ) throws(AuthError) {
        guard case .hook(.refused) = error else { return }
        try recordFailure(.signInFailed, on: trail, caller, detail: "refusedByHook")
    }

    fileprivate func answer(
        of kind: HookKind, _ hooks: HookServices, _ operation: AuthOperation, _ provider: String,
        _ members: JSONObject, _ caller: Caller
    ) throws(AuthError) -> HookAnswer {
        let event = HookEvent(
            kind, id: UUIDText(random: random).text, operation, provider, members, caller,
            at: clock.now())
        let answer = try hooks.answer(to: event) ?? .allow
        if case .refuse(let reason) = answer { throw .hook(.refused(kind, reason: reason)) }
        return answer
    }
}

extension HookEvent {
    /// No secret is in it: no password, no token, no code.
    fileprivate init(
        _ kind: HookKind, id: String, _ operation: AuthOperation, _ provider: String,
        _ members: JSONObject, _ caller: Caller, at now: Instant
    ) {
        var client = JSONObject()
        client["address"] = caller.address.map { .string($0) }
        client["userAgent"] = caller.userAgent.map { .string($0) }
        client["language"] = caller.language.map { .string($0) }
        client["botProof"] = caller.botProof.map { .string($0) }
        var event: JSONObject = [
            "hook": .string(kind.rawValue), "id": .string(id),
            "time": .number(JSONNumber(now.seconds)), "operation": .string(operation.name),
            "provider": .string(provider), "client": .object(client),
        ]
        for member in members.members { event[member.name] = member.value }
        self.init(kind: kind, id: id, time: now, bytes: event.serialized)
    }

    fileprivate static func members(of user: User) -> JSONObject {
        var members: JSONObject = [
            "id": .string(user.id.text), "isEmailVerified": .bool(user.isEmailVerified),
            "isGuest": .bool(user.isGuest), "hasSecondFactor": .bool(user.hasSecondFactor),
            "createdAt": .number(JSONNumber(user.createdAt.seconds)),
        ]
        members["email"] = user.email.map { .string($0) }
        members["displayName"] = user.displayName.map { .string($0) }
        return members
    }
}
