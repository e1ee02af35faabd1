import AuthTestSupport
import TestSupport

/// `refresh` as many concurrent processes on one SQLite file.
@Suite("Refresh, with real processes", .serialized, .hangLimit)
struct RefreshRaceTests {
    @Test func `64 processes with one token get one successor, and the session advances once`()
        throws
    {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let answers = try race(64, with: client.refreshToken, in: deployment)

        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let successors = Set(answers.map(\.refreshToken))
        expectEqual(successors.count, 1)
        let successor = try #require(answers[0].refreshToken)
        #expect(successor != client.refreshToken)
        let family = try #require(try deployment.family(of: client))
        expectEqual(family.generation, 1)
        try expectEqual(deployment.auditCount(.refreshTokenReused, of: client.user), 0)

        // After the successor was used and used again, the first token is a reuse.
        let third = try #require(try deployment.refresh(successor).refreshToken)
        let late = try deployment.refresh(client.refreshToken)
        expectEqual(late.status, 401)
        expectEqual(late.action, "reauthenticate")
        try expectEqual(deployment.family(of: client), nil)
        try expectEqual(deployment.refresh(third).status, 401)
        try expectEqual(deployment.auditCount(.refreshTokenReused, of: client.user), 1)
    }

    /// Without a grace period the second use counts as theft: one process advances the family, the
    /// next finds its token replaced and ends the family, and for all others it does not exist.
    @Test func `without a grace period one of 64 processes succeeds and the session ends`()
        throws
    {
        let deployment = try Deployment([("REFRESH_GRACE_SECONDS", "0")])
        let client = try deployment.signIn()
        let answers = try race(64, with: client.refreshToken, in: deployment)

        let answered = answers.filter { $0.status == 200 }
        let refused = answers.filter { $0.status == 401 }
        expectEqual(answered.count, 1)
        expectEqual(refused.count, 63, "\(answers.map(\.status))")
        #expect(refused.allSatisfy { $0.action == "reauthenticate" })
        try expectEqual(deployment.family(of: client), nil)
        try expectEqual(deployment.auditCount(.refreshTokenReused, of: client.user), 1)
        let winner = try #require(answered.first?.refreshToken)
        try expectEqual(deployment.refresh(winner).status, 401)
    }

    @Test func `a sign-out concurrent with refreshes is final`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let refresh = deployment.command("refresh", Deployment.refreshBody(client.refreshToken))
        let signOut = deployment.command("signout", bearer: client.accessToken)
        let results = try deployment.race(
            Array(repeating: refresh, count: 8) + [signOut]
                + Array(repeating: refresh, count: 8))

        try expectEqual(Answer(results[8]).status, 200)
        let tokens = Set(try results.compactMap { try Answer($0).refreshToken })
        #expect(tokens.count <= 1)
        for token in tokens { try expectEqual(deployment.refresh(token).status, 401) }
        try expectEqual(deployment.run("me", bearer: client.accessToken).status, 401)
    }

    private func race(
        _ count: Int, with token: String, in deployment: Deployment
    ) throws -> [Answer] {
        let command = deployment.command("refresh", Deployment.refreshBody(token))
        return try deployment.race(Array(repeating: command, count: count)).map(Answer.init)
    }
}
