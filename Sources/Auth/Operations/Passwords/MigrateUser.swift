internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JSON
internal import KeyValueStore
internal import Time

/// Takes over a user from the application's former system, at the first sign-in with the password
/// that the old system knows (hook `migrate`).
///
/// This is only done if no account has the address: an address proves no ownership of an account,
/// so the answer of another system must not add a sign-in method to an account. If an account has
/// the address and the password is wrong, the hook is asked about a random user, so that neither
/// the time nor a failing hook reveals the account (ASVS 5.0, 6.3.8).
struct UserMigration {
    let auth: AuthServices
    let input: LogIn.Input
    let caller: Caller

    /// - Parameters:
    ///   - isKnown: whether the address has an account.
    ///   - attempts: the chain that records a failure.
    /// - Returns: nil if the old system does not know the user, or without such a hook.
    func callAsFunction(
        isKnown: Bool, _ attempts: AuditTrail, _ ending: inout SignInEnding
    ) throws(AuthError) -> SignInResult? {
        guard let hooks = auth.hooks, hooks.has(.migrate),
            input.password.utf8.count <= PasswordHash.passwordBytesMax
        else { return nil }
        let found: MigratedUser?
        do throws(AuthError) {
            found = try ask(hooks, isKnown: isKnown)
        } catch {
            // If the old system does not answer, the only known fact is that the password is wrong
            // for an account here.
            try auth.recordFailure(.signInFailed, on: attempts, caller, detail: "wrongCredentials")
            throw error
        }
        guard let found, !isKnown else { return nil }
        return try create(found, &ending)
    }

    private func ask(
        _ hooks: HookServices, isKnown: Bool
    ) throws(AuthError) -> MigratedUser? {
        var (email, password) = (input.email.text, input.password)
        if isKnown {
            let name = Base32.encode(auth.random.bytes(10)).asciiLowercased
            (email, password) = ("\(name)@example.invalid", Hex.encode(auth.random.bytes(16)))
        }
        let members: JSONObject = [
            "user": ["email": .string(email)], "password": .string(password),
        ]
        let event = HookEvent(
            .migrate, auth, .login, LinkedIdentity.passwordProvider, members, caller)
        return try hooks.answer(to: event) { bytes throws(HookFailure) in
            try MigratedUser.parse(bytes)
        }.flatMap(\.self)
    }

    /// Creates the account and its first session, as a sign-up does.
    private func create(
        _ found: MigratedUser, _ ending: inout SignInEnding
    ) throws(AuthError) -> SignInResult {
        let hash = try auth.passwords.hash(known: input.password)
        let now = auth.clock.now()
        let account = try NewAccount(
            auth, password: hash, email: input.email, isEmailVerified: found.isEmailVerified,
            displayName: found.displayName, at: now)
        let proven = ProvenSignIn(
            user: account.user, provider: LinkedIdentity.passwordProvider, method: .password,
            detail: "migrated", audit: auth.audit(.account(account.user.id), .read(nil)),
            writes: account.writes, isNew: true, device: input.device)
        // The address was taken in the meantime, possibly by a repetition of this request.
        guard let result = try ending.close(proven, at: now) else {
            throw .unavailable(.contention)
        }
        return result
    }
}

/// The old system's response for a user with the right password: `{"isRight": true,
/// "isEmailVerified": true, "displayName": "…"}`. Otherwise `{"isRight": false}`.
struct MigratedUser {
    /// If the member is missing, the new account's address counts as unproven.
    var isEmailVerified = false
    var displayName: String?

    private static let limits = JSONLimits(
        bytesMax: HookAnswer.bytesMax, depthMax: 2, membersMax: 16)

    /// nil if the password is not right.
    static func parse(_ bytes: [UInt8]) throws(HookFailure) -> MigratedUser? {
        guard bytes.count <= HookAnswer.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: limits))?.objectValue?.members
        else { throw .malformed }
        var isRight: Bool?
        var user = MigratedUser()
        for member in members {
            if member.name.isSame(as: "isRight"), let value = member.value.boolValue {
                isRight = value
            } else if member.name.isSame(as: "isEmailVerified"), let value = member.value.boolValue
            {
                user.isEmailVerified = value
            } else if member.name.isSame(as: "displayName"), let name = member.value.stringValue {
                user.displayName = PersonName.cleaned(name)
            } else {
                throw .malformed
            }
        }
        switch isRight {
        case true?: return user
        case false? where members.count == 1: return nil
        case false?, nil: throw .malformed
        }
    }
}
