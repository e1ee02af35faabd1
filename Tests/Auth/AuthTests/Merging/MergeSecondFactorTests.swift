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
}
