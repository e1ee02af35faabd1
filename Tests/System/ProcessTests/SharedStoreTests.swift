import AuthTestSupport
import TestSupport

/// A store that processes share.
enum SharedStore: CaseIterable {
    case sqlite, moto, emulator, postgreSQL

    /// Those that several machines share.
    static let remote: [SharedStore] = [.moto, .emulator, .postgreSQL]

    func deployment(_ settings: [(name: String, value: String)] = []) throws -> Deployment {
        switch self {
        case .sqlite: try Deployment(settings)
        case .moto: try .on(.moto, settings)
        case .emulator: try .on(.emulator, settings)
        case .postgreSQL: try .onPostgreSQL(settings)
        }
    }

    /// moto locks its tables for a long time.
    var simultaneousRequests: Int {
        switch self {
        case .sqlite: 64
        case .postgreSQL: 32
        case .emulator: 16
        case .moto: 8
        }
    }
}

/// The built functions with each store that they can share.
@Suite("Functions on shared stores", .serialized, .hangLimit)
struct SharedStoreTests {
    @Test(arguments: SharedStore.remote)
    func `the first processes create one signing key`(store: SharedStore) throws {
        let deployment = try store.deployment()
        let commands = (0..<store.simultaneousRequests).map {
            deployment.command($0 % 2 == 0 ? "challenge" : "keys")
        }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let sets = answers.compactMap { $0.body["keys"] }
        expectEqual(sets.count, commands.count / 2)
        #expect(sets.allSatisfy { $0 == sets[0] && $0.arrayValue?.count == 1 })
        // No key file is created for a remote store.
        expectEqual(deployment.folder.names, ["jwks.json"])
    }

    @Test(arguments: SharedStore.allCases)
    func `simultaneous refreshes with one token get one successor`(store: SharedStore) throws {
        let deployment = try store.deployment()
        let client = try deployment.signIn()
        let answers = try race(with: client.refreshToken, in: deployment, on: store)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        expectEqual(Set(answers.map(\.refreshToken)).count, 1)
        try expectEqual(deployment.family(of: client)?.generation, 1)
        try expectEqual(deployment.auditCount(.refreshTokenReused, of: client.user), 0)
    }

    @Test(arguments: SharedStore.allCases)
    func `without a grace period one simultaneous refresh succeeds and the session ends`(
        store: SharedStore
    ) throws {
        let deployment = try store.deployment([("REFRESH_GRACE_SECONDS", "0")])
        let client = try deployment.signIn()
        let answers = try race(with: client.refreshToken, in: deployment, on: store)
        // moto undoes a failed transaction by restoring the whole table as it was before, and so
        // undoes the writes of others since: every attempt of a request can fail, so that it gets
        // 503.
        let refused: Set<Int64> = store == .moto ? [401, 503] : [401]
        expectEqual(answers.filter { $0.status == 200 }.count, 1)
        expectEqual(
            answers.filter { refused.contains($0.status) }.count, answers.count - 1,
            "\(answers.map(\.status))")
        try expectEqual(deployment.refresh(client.refreshToken).status, 401)
        try expectEqual(deployment.family(of: client), nil)
    }

    @Test(arguments: SharedStore.allCases)
    func `8 sign-ins of a new identity create one user`(store: SharedStore) throws {
        let deployment = try store.deployment()
        let commands = try (0..<8).map { _ in
            deployment.command("signin", try deployment.signInBody(of: "newcomer"))
        }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        expectEqual(answers.filter { $0.body["isNewUser"] == true }.count, 1)
        expectEqual(Set(try answers.map { try SignedIn($0).user.text }).count, 1)
    }

    @Test(arguments: SharedStore.allCases)
    func `kill -9 loses nothing that was written`(store: SharedStore) throws {
        let deployment = try store.deployment([("REFRESH_GRACE_SECONDS", "300")])
        let client = try deployment.signIn()
        var token = client.refreshToken
        var moments = KillMoments()
        for round in 0..<([.sqlite, .postgreSQL].contains(store) ? 40 : 20) {
            let process = try ChildProcess(
                deployment.command("refresh", Deployment.refreshBody(token)))
            moments.wait()
            process.kill(9)
            let answer = try Answer(complete: process.wait())
            moments.adapt(wasLate: answer != nil)
            guard let answer else { continue }
            try #require(answer.status == 200, "round \(round), seed \(moments.seed)")
            token = try #require(answer.refreshToken)
        }
        try expectEqual(deployment.refresh(token).status, 200, "seed \(moments.seed)")
        guard store == .sqlite else { return }
        try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound)
        expectEqual(deployment.strayNames, [])
    }

    private func race(
        with token: String, in deployment: Deployment, on store: SharedStore
    ) throws -> [Answer] {
        let command = deployment.command("refresh", Deployment.refreshBody(token))
        let commands = Array(repeating: command, count: store.simultaneousRequests)
        return try deployment.race(commands).map(Answer.init)
    }
}
