package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Issues new recovery codes in exchange for a code of the app. The old ones become invalid.
    package func replaceRecoveryCodes(
        code: String, _ caller: Caller
    ) throws(AuthError) -> [RecoveryCode] {
        // 1. Open: authenticate, and read the factor.
        let owner = try FactorOwner(self, caller, for: .replaceRecoveryCodes)
        let now = clock.now()
        let (check, _) = try owner.check(self, .code(typed: code), caller, at: now)

        // 2. Close.
        let user = owner.principal.user
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(random: random) }
        let change = try undoable(
            .secondFactorChanged, of: user, to: user, saying: ["replaced": now.iso8601Seconds],
            since: owner.principal.session.proofs.since, caller, at: now)
        let closing =
            [
                check.write { factor in
                    factor.recoveryCodes = codes.map { $0.hash(of: user.id) }
                    factor.codesReplacedAt = now
                },
                UserRecord.replacing(user) { $0.add(change.point, at: now) },
            ] + change.writes
        var audit = owner.audit(self)
        audit.record(
            .recoveryCodesReplaced, session: owner.principal.session.id, caller, at: now)
        guard try commit(closing, &audit) else { throw .unavailable(.contention) }
        change.notice.deliver()
        return codes
    }
}

extension AuthServices {
    /// The number of recovery codes that the user has not used; nil without a second factor.
    package func recoveryCodeCount(of user: User) throws(AuthError) -> Int? {
        guard user.hasSecondFactor,
            let row = try store.get(StoreLayout.secondFactor(of: user.id))
        else { return nil }
        return try decoded(SecondFactorRecord.factor(row)).recoveryCodes.count
    }
}

extension AuthOperation {
    package static let replaceRecoveryCodes = AuthOperation(
        "replaceRecoveryCodes", servedBy: "totp", audited: .caller)
}
