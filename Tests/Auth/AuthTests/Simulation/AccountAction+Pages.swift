import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Cryptography
import TestSupport
import Testing

/// A code of the pages that an app can exchange for a session.
struct ReturnedCode: Sendable {
    let text: String
    let verifier: String
    let session: AccountSimulation.Held
}

/// A sign-in that an app began, and its end in the app.
extension AccountAction {
    /// The app's verifier differs from sign-in to sign-in.
    static func signInForApp(_ person: Int, subject: String, email: String) -> AccountAction {
        AccountAction(person) { kit, caller throws(AuthError) in
            let proof = proof(kit, "google", subject, email)
            let input = SignIn.Input(provider: proof.provider, idToken: proof.idToken)
            guard case .session(let tokens) = try kit.signIn(.plainText)(input, caller).result
            else { return .done }
            let verifier = Hex.encode(kit.auth.random.bytes(32))
            let code = try kit.auth.signInCode(
                for: tokens, challenge: SHA256.hash(Array(verifier.utf8)))
            return .code(code, verifier, tokens)
        }
    }

    /// - Parameter isStolen: with the code alone, whose verifier another app has.
    static func redeem(_ code: ReturnedCode, isStolen: Bool) -> AccountAction {
        AccountAction(code.session.person) { kit, caller throws(AuthError) in
            let verifier = isStolen ? String(repeating: "v", count: 43) : code.verifier
            let tokens = try kit.auth.redeemSignInCode(code.text, verifier: verifier, caller)
            #expect(!isStolen, "a code was exchanged without its verifier")
            return .redeemed(code.text, tokens)
        }
    }
}

extension AccountSimulation {
    /// The code is of the account, of one use, and not of a session that has ended before.
    func noteRedeemed(_ code: String, _ tokens: SessionTokens, _ isRevokedBefore: Bool) {
        #expect(redeemed.insert(code).inserted, "a code was exchanged twice, seed \(seed)")
        #expect(!isRevokedBefore, "a code opened an ended session, seed \(seed)")
        guard let known = people.flatMap(\.returned).first(where: { $0.text == code }) else {
            Issue.record("a code that was not issued, seed \(seed)")
            return
        }
        expectEqual(known.session.user, tokens.user.id, "another account's code, seed \(seed)")
        expectEqual(known.session.refresh, tokens.refresh.reveal(), "another session, seed \(seed)")
    }

    /// Whether its account has ended its sessions since.
    func isRevoked(_ code: String) -> Bool {
        guard let known = people.flatMap(\.returned).first(where: { $0.text == code }) else {
            return false
        }
        return held.contains { $0.access == known.session.access && $0.isRevoked }
    }
}
