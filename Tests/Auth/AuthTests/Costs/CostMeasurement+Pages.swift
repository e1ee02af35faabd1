import AuthDomain
import AuthOperations
import AuthTestSupport
import Cryptography
import Time

extension CostMeasurement {
    func measurePages() throws {
        let kit = try kit {
            $0.identity.nonce = .issued
            $0.limits += [
                RateLimit(.redeemSignInCode, per: .address, 60, in: .minutes(1)),
                RateLimit(.redeemProviderCode, per: .address, 60, in: .minutes(1)),
            ]
        }
        let verifier = String(repeating: "v", count: 43)
        let tokens = try session(kit, of: "returning")
        let code = try kit.auth.signInCode(
            for: tokens, challenge: SHA256.hash(Array(verifier.utf8)))
        // The code is older than the window of the next measurement.
        clock.advance(by: .seconds(-50))
        try measureRefusal(.redeemSignInCode, "wrong verifier", tripsMax: 1) {
            () throws(AuthError) in
            _ = try kit.auth.redeemSignInCode(
                code, verifier: String(repeating: "w", count: 43), Self.caller)
        }
        clock.advance(by: .seconds(-50))
        try measure(.redeemSignInCode, "a session for an app") {
            _ = try kit.auth.redeemSignInCode(code, verifier: verifier, Self.caller)
        }
        try measureRefusal(.redeemSignInCode, "used code", tripsMax: 1) { () throws(AuthError) in
            _ = try kit.auth.redeemSignInCode(code, verifier: verifier, Self.caller)
        }
        try measureProviderCode(kit)
        try measure(.inspectSystem, "nothing waits", tripsMax: 15) {
            _ = try kit.auth.inspectSystem()
        }
        let id = tokens.user.id.text
        try measure(.exportUserData, "by id", tripsMax: 4) {
            _ = try kit.auth.exportUser(id, after: nil, because: nil, by: .password, Self.caller)
        }
        try kit.change(tokens.user.id) { $0.hasSecondFactor = true }
        try measure(.removeUserFactor, "removed") {
            _ = try kit.auth.administerUser(id, .removeSecondFactor, by: .password, Self.caller)
        }
        try kit.change(tokens.user.id) {
            $0.identities.append(LinkedIdentity(provider: "x", issuer: "x", subject: "x"))
        }
        try measure(.removeUserMethod, "removed") {
            _ = try kit.auth.administerUser(
                id, .removeMethod(.provider("x")), by: .password, Self.caller)
        }
        // Last, because it leaves a deletion for housekeeping.
        try measure(.deleteUser, "deleted") {
            _ = try kit.auth.administerUser(
                id, .delete, by: .password, Self.caller)
        }
    }

    private func measureProviderCode(_ kit: AuthKit) throws {
        let auth = kit.services(with: fake.gateway)
        let back = "https://auth.example.com/auth/ui/callback/google"
        let (address, begun) = try auth.beginRedirect(
            to: "google", adding: nil, returningTo: back, Self.caller)
        let code = try fake.approve(address).code
        try measure(.redeemProviderCode, "exchanged", tripsMax: 1) {
            _ = try auth.redeemProviderCode(code, of: begun, returningTo: back, Self.caller)
        }
        try measureRefusal(.redeemProviderCode, "refused by the provider") {
            () throws(AuthError) in
            _ = try auth.redeemProviderCode(code, of: begun, returningTo: back, Self.caller)
        }
    }
}
