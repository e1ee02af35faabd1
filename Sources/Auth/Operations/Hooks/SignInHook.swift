internal import AuthDomain
internal import AuthRecords
internal import JSON

/// The consent of the hook `beforeSignIn` to a sign-in of one user; without such a hook, every
/// sign-in has it. `SessionPermit` requires it, so that no sign-in method can skip the hook.
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
/// The answer is kept for the request, so that the hook is not asked again if another request wins
/// a race. The hooks are asked before the write, because a refused sign-in must not consume
/// anything.
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
    ///   - provider: the provider of the session.
    ///   - isNew: whether the sign-in creates the account.
    ///   - methods: what was proven in this sign-in.
    mutating func approval(
        of user: User, by provider: String, isNew: Bool = false, provenBy methods: [ProofMethod]
    ) throws(AuthError) -> SignInApproval {
        if let approved, approved.user == user.id { return approved }
        var approval = SignInApproval(user.id)
        if isNew { try auth.checkSignUp(operation) }
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
        of hook: DecidingHook, _ hooks: HookServices, _ user: User, _ provider: String,
        _ isNew: Bool, _ methods: [ProofMethod]
    ) throws(AuthError) -> HookAnswer {
        guard hooks.has(hook.kind) else { return .allow }
        var members = JSONObject()
        members["isNewUser"] = .bool(isNew)
        members["methods"] = .array(methods.map { .string($0.rawValue) })
        members["user"] = .object(HookEvent.members(of: user))
        return try auth.answer(of: hook, hooks, operation, provider, members, caller)
    }
}

extension AuthServices {
    /// Asks about an account that is created when its address is verified. The address may belong
    /// to another account: the hook is asked in either case, so that neither its work nor its
    /// answer reveals it.
    func askBeforeSignUp(
        email: EmailAddress, _ operation: AuthOperation, _ caller: Caller
    ) throws(AuthError) {
        try checkSignUp(operation)
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

    /// The setting `SIGN_UP` does not apply to the first administrator, whom the operator invites,
    /// nor to a user whom the hook `migrate` knows.
    fileprivate func checkSignUp(_ operation: AuthOperation) throws(AuthError) {
        guard !policy.accounts.isOpen, operation != .makeFirstAdministrator, operation != .login
        else { return }
        throw .hook(.signUpClosed)
    }

    fileprivate func record(
        _ error: AuthError, on trail: AuditTrail, _ caller: Caller
    ) throws(AuthError) {
        guard case .hook(.refused) = error else { return }
        try recordFailure(.signInFailed, on: trail, caller, detail: "refusedByHook")
    }

    fileprivate func answer(
        of hook: DecidingHook, _ hooks: HookServices, _ operation: AuthOperation,
        _ provider: String, _ members: JSONObject, _ caller: Caller
    ) throws(AuthError) -> HookAnswer {
        let event = HookEvent(hook.kind, self, operation, provider, members, caller)
        let answer = try hooks.answer(to: event) { bytes throws(HookFailure) in
            try HookAnswer(parsing: bytes, of: hook)
        }
        if case .refuse(let reason) = answer { throw .hook(.refused(hook, reason: reason)) }
        return answer ?? .allow
    }
}
