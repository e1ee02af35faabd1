/// The account that remains has a second factor.
@Suite("Merging, with a second factor") struct MergeSecondFactorTests {
    @Test func `wrong codes count towards the same limit as in a sign-in`() throws {
        let account = try ProtectedAccount(
            .merging { $0.limits = [RateLimit(.secondFactor, per: .account, 5, in: .minutes(5))] })
        let kit = account.kit
        try kit.link("google", "ada", by: try account.complete(try account.ticket()))
        kit.clock.advance(by: .seconds(60))
        let guest = try kit.guest()
        let ticket = try kit.offer(by: guest)
        for _ in 0..<5 {
            expectEqual(
                kit.mergeError(ticket, by: guest, .code(typed: account.wrongCode)),
                .secondFactor(.wrongCode))
        }
        let error = kit.mergeError(ticket, by: guest, .code(typed: account.code))
        expectEqual(error?.isRateLimited, true)
        let attempts = try kit.audit(in: .attempts(on: account.user.id))
        expectEqual(attempts.count { $0 == "secondFactorFailed" }, 5)
    }
}
