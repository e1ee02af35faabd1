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
        let notice = try notice(.secondFactorChanged, to: user, caller, at: now)
        let closing =
            [
                check.write { $0.recoveryCodes = codes.map { $0.hash(of: user.id) } }
            ] + notice.writes
        var audit = owner.audit(self)
        audit.record(
            .recoveryCodesReplaced, session: owner.principal.session.id, caller, at: now)
        guard try commit(closing, &audit) else { throw .unavailable(.contention) }
        notice.deliver()
        return codes
    }
}

extension AuthOperation {
    package static let replaceRecoveryCodes = AuthOperation(
        "replaceRecoveryCodes", servedBy: "totp", audited: .caller)
}
