import AuthTestSupport
import Glibc
import TestSupport

/// `kill -9` at random moments.
@Suite("Killed processes", .serialized, .hangLimit)
struct KillTests {
    @Test func `kill -9 at any moment loses nothing that was acknowledged`() throws {
        // A long grace period, because a client may get no response for many rounds.
        let deployment = try Deployment([("REFRESH_GRACE_SECONDS", "300")])
        let clients = try ["ada", "grace", "edsger"].map { try deployment.signIn($0) }
        var tokens = clients.map(\.refreshToken)
        var answersOfClients = [0, 0, 0]
        var nonces: [String] = []
        var moments = KillMoments()
        for round in 0..<60 {
            let refreshes = try tokens.map {
                try ChildProcess(deployment.command("refresh", Deployment.refreshBody($0)))
            }
            let challenge = try ChildProcess(deployment.command("challenge"))
            moments.wait()
            for process in refreshes + [challenge] { process.kill(SIGKILL) }
            for (index, process) in refreshes.enumerated() {
                guard let answer = try Answer(complete: process.wait()) else { continue }
                // For an honest client, the current token is always valid.
                try #require(answer.status == 200, "round \(round), seed \(moments.seed)")
                tokens[index] = try #require(answer.refreshToken)
                answersOfClients[index] += 1
            }
            let answer = try Answer(complete: challenge.wait())
            if let answer { nonces.append(try #require(answer.body["nonce"]?.stringValue)) }
            moments.adapt(wasLate: answer != nil)
        }
        // Otherwise no process was killed in time.
        #expect((1..<60).contains(nonces.count))

        let seed: Comment = "seed \(moments.seed)"
        for (index, client) in clients.enumerated() {
            let family = try #require(try deployment.family(of: client), seed)
            #expect(family.generation >= answersOfClients[index], seed)
            try expectEqual(deployment.refresh(tokens[index]).status, 200, seed)
        }
        let challenges = nonces.map { StoreLayout.challenge(nonce: $0) }
        #expect(try deployment.store().get(challenges).allSatisfy { $0 != nil }, seed)
        for nonce in nonces.prefix(3) {
            let body = try deployment.signInBody(of: "barbara", nonce: nonce)
            try expectEqual(deployment.run("signin", body).status, 200, seed)
        }
        try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound, seed)
        expectEqual(deployment.strayNames, [], seed)
    }

    @Test func `a killed first run does not prevent the next run`()
        throws
    {
        var moments = KillMoments()
        for round in 0..<30 {
            let comment: Comment = "round \(round), seed \(moments.seed)"
            let deployment = try Deployment()
            let processes = try ["challenge", "keys", "challenge", "keys"].map {
                try ChildProcess(deployment.command($0))
            }
            moments.wait()
            for process in processes { process.kill(SIGKILL) }
            let answers = try processes.map { try Answer(complete: $0.wait()) }
            moments.adapt(wasLate: answers.contains { $0 != nil })

            let keys = try deployment.run("keys")
            expectEqual(keys.status, 200, comment)
            for answer in answers.compactMap(\.self) {
                expectEqual(answer.status, 200, comment)
                if let set = answer.body["keys"] { expectEqual(set, keys.body["keys"], comment) }
                if let nonce = answer.body["nonce"]?.stringValue {
                    let item = StoreLayout.challenge(nonce: nonce)
                    #expect(try deployment.store().get(item) != nil, comment)
                }
            }
            expectEqual(deployment.strayNames, [], comment)
        }
    }
}
