import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

extension CostMeasurement {
    func measureMethods(_ kit: AuthKit) throws {
        let caller = signed(try kit.session(of: "methods", Self.caller))
        func proof(_ provider: String) -> IdentityProof {
            serial += 1
            return IdentityProof(provider: provider, idToken: "\(provider)|methods||\(serial)")
        }
        try measure(.linkIdentity, "linked") {
            _ = try kit.auth.linkIdentity(LinkIdentity.Input(proof("google")), caller)
        }
        try measureRefusal(.linkIdentity, "of another account") { () throws(AuthError) in
            let other = IdentityProof(provider: "google", idToken: "google|methods||other")
            _ = try kit.auth.linkIdentity(LinkIdentity.Input(other), caller)
        }
        try measure(.listMethods, "two methods", tripsMax: 1) {
            _ = try kit.auth.listMethods(caller)
        }
        try measure(.addPassword, "address proven") {
            _ = try kit.auth.addPassword(AuthKit.password, email: nil, caller)
        }
        let next = try kit.auth.removeMethod("google", caller)
        try measure(.removeMethod, "a password") {
            _ = try kit.auth.removeMethod("password", signed(next))
        }
        _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        let linked = try kit.session(of: "methods-6", Self.caller)
        _ = try kit.signIn("apple", "methods-6", code: "token of Apple")
        try kit.link("google", "methods-6", by: linked)
        try measure(.removeMethod, "an identity with a token") {
            _ = try kit.auth.removeMethod("apple", signed(linked))
        }
        // The due ones, claimed, the owner and the tokens, the token's row, the job.
        try measure(.housekeeping, "the token of a removed identity revoked", tripsMax: 5) {
            _ = try kit.auth.housekeeping([.finishDeletions], until: nil)
        }
        let other = signed(try kit.session(of: "methods-2", Self.caller))
        try measure(.addPassword, "link mailed") {
            let email = try kit.email("methods-3@example.com")
            _ = try kit.auth.addPassword(AuthKit.password, email: email, other)
        }
        kit.finishReply()
        let token = try kit.mailedToken()
        try measure(.completeAddPassword, "added") {
            _ = try kit.auth.completeAddPassword(token: token, other)
        }
        let unproven = try kit.session(of: "methods-5", Self.caller)
        try kit.change(unproven.user.id) { $0.isEmailVerified = false }
        try measure(.requestAddressVerification, "link mailed") {
            _ = try kit.auth.requestAddressVerification(signed(unproven))
        }
        kit.finishReply()
        let confirmation = try kit.mailedToken()
        try measure(.verifyAddress, "proven") {
            _ = try kit.auth.verifyAddress(token: confirmation, signed(unproven))
        }
        try measure(.linkByTokens, "linked", tripsMax: 3) {
            _ = try kit.session(of: "methods-4")
            store.forget()
            _ = try kit.auth.linkByTokens(
                proof("apple").of("methods-4"), adding: proof("google").of("methods-4"),
                Self.caller)
        }
    }
}

extension IdentityProof {
    fileprivate func of(_ subject: String) -> IdentityProof {
        var proof = self
        proof.idToken = idToken.replacing("|methods|", with: "|\(subject)|")
        return proof
    }
}
