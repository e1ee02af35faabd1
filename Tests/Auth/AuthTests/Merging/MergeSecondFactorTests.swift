import AuthTestSupport
import TestSupport

/// The account that remains has a second factor.
@Suite("Merging, with a second factor") struct MergeSecondFactorTests {
    private struct Scene {
        let account: ProtectedAccount
        let guest: SessionTokens
        let ticket: String
        var kit: AuthKit { account.kit }

        init() throws {
            account = try ProtectedAccount(
                .merging {
                    $0.limits = [RateLimit(.secondFactor, per: .account, 5, in: .minutes(5))]
                })
            let next = try account.complete(try account.ticket())
            try account.kit.link("google", "ada", by: next)
            account.kit.finishReply()
            account.kit.clock.advance(by: .seconds(60))
            guest = try account.kit.guest()
            ticket = try account.kit.offer(by: guest)
        }

        func error(_ answer: SecondFactorAnswer?) -> AuthError? {
            kit.mergeError(ticket, by: guest, answer)
        }
    }

    @Test func `the ticket does not suffice without the second factor`() throws {
        let scene = try Scene()
        expectEqual(scene.error(nil), .secondFactor(.required))
        expectEqual(scene.error(.code(typed: scene.account.wrongCode)), .secondFactor(.wrongCode))
        try expectEqual(scene.kit.user(scene.guest.user.id)?.deletedAt, nil)
        let tokens = try scene.kit.merge(
            scene.ticket, by: scene.guest, .code(typed: scene.account.code))
        let principal = try scene.kit.authenticate(tokens.access.reveal())
        #expect(principal.user.id == scene.account.user.id && principal.user.hasSecondFactor)
        expectEqual(
            principal.session.proofs.signIn.methods, [.identityProvider, .authenticatorApp])
        #expect(principal.session.proofs.signIn.includesSecondFactor)
    }

    @Test func `wrong codes count as in every sign-in`() throws {
        let scene = try Scene()
        for _ in 0..<5 {
            expectEqual(
                scene.error(.code(typed: scene.account.wrongCode)), .secondFactor(.wrongCode))
        }
        guard case .rateLimited? = scene.error(.code(typed: scene.account.code)) else {
            Issue.record("not limited")
            return
        }
        let attempts = try scene.kit.audit(in: .attempts(on: scene.account.user.id))
        expectEqual(attempts.count { $0 == "secondFactorFailed" }, 5)
    }

    @Test func `a recovery code is used up, and its owner is notified`() throws {
        let scene = try Scene()
        let code = scene.account.recoveryCodes[0]
        _ = try scene.kit.merge(scene.ticket, by: scene.guest, .recoveryCode(code))
        scene.kit.finishReply()
        #expect(scene.kit.mail.mails.contains { $0.kind == .secondFactorChanged })
        let ticket = try scene.account.ticket()
        expectEqual(scene.account.error(ticket, .recoveryCode(code)), .secondFactor(.wrongCode))
    }
}
