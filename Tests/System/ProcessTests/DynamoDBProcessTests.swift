import AuthDomain
import AuthRecords
import HTTP
import JSON
import KeyValueStore
import TestSupport
import Testing

/// The built functions with DynamoDB, emulated by moto and by the emulator: signed requests over
/// real connections.
@Suite("Functions on DynamoDB", .serialized, .hangLimit)
struct DynamoDBProcessTests {
    @Test(arguments: DynamoDB.allCases)
    func `a user signs in, refreshes, calls me and signs out`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB)
        let nonce = try #require(try deployment.run("challenge").body["nonce"]?.stringValue)
        let client = try SignedIn(
            deployment.run("signin", deployment.signInBody(of: "ada", nonce: nonce)))
        #expect(try deployment.run("me", bearer: client.accessToken).status == 200)
        let successor = try #require(try deployment.refresh(client.refreshToken).refreshToken)
        let sessions = try deployment.run("sessions", bearer: client.accessToken)
        #expect(sessions.body["sessions"]?.arrayValue?.count == 1)
        #expect(try deployment.run("signout", bearer: client.accessToken).status == 200)
        #expect(try deployment.refresh(successor).action == "reauthenticate")
        #expect(try deployment.run("me", bearer: client.accessToken).status == 401)
        // No key file is created for a remote store.
        #expect(deployment.folder.names == ["jwks.json"])
    }

    @Test func `a missing table and missing credentials are in the log`() throws {
        let url = try DynamoDB.emulator.url
        let settings = Deployment.dynamoDBSettings(table: "no-such-table", url: url)
        let answer = try Deployment(settings).run("challenge")
        #expect(answer.status == 500)
        #expect(answer.errorText.contains(#""event":"store_failed""#), "\(answer.errorText)")
        #expect(answer.errorText.contains("there is no such table"), "\(answer.errorText)")
        #expect(answer.errorText.contains(#""reason":"fault.storeRefused""#))
        let anonymous = try Deployment(
            settings.filter { !$0.name.hasSuffix("KEY_ID") && $0.name != "AWS_SECRET_ACCESS_KEY" }
                + [("AWS_EC2_METADATA_DISABLED", "true")]
        ).run("challenge")
        #expect(anonymous.errorText.contains("no credentials"), "\(anonymous.errorText)")
        #expect(anonymous.errorText.contains(#""event":"store_failed""#))
    }

    @Test(arguments: DynamoDB.allCases)
    func `16 first processes create one signing key`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB)
        let commands = (0..<16).map { deployment.command($0 % 2 == 0 ? "challenge" : "keys") }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let sets = answers.compactMap { $0.body["keys"] }
        #expect(sets.count == 8)
        #expect(sets.allSatisfy { $0 == sets[0] && $0.arrayValue?.count == 1 })
    }

    @Test(arguments: DynamoDB.allCases)
    func `16 refreshes with one token get one successor`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB)
        let client = try deployment.signIn()
        let answers = try race(16, with: client.refreshToken, in: deployment)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        #expect(try deployment.family(of: client)?.generation == 1)
        #expect(try deployment.auditCount(.refreshTokenReused, of: client.user) == 0)
    }

    @Test(arguments: DynamoDB.allCases)
    func `one of 16 refreshes without a grace period succeeds and the family ends`(
        dynamoDB: DynamoDB
    ) throws {
        let deployment = try Deployment.on(dynamoDB, [("REFRESH_GRACE_SECONDS", "0")])
        let client = try deployment.signIn()
        let answers = try race(16, with: client.refreshToken, in: deployment)
        #expect(answers.filter { $0.status == 200 }.count == 1)
        // moto undoes a failed transaction by restoring the whole table as it was before, and with it
        // what others have written since: a request can lose every attempt and be told to try again.
        let refused: Set<Int64> = dynamoDB == .moto ? [401, 503] : [401]
        #expect(
            answers.filter { refused.contains($0.status) }.count == 15, "\(answers.map(\.status))")
        #expect(try deployment.refresh(client.refreshToken).status == 401)
        #expect(try deployment.family(of: client) == nil)
    }

    @Test(arguments: DynamoDB.allCases)
    func `8 sign-ins of a new identity create one user`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB)
        let commands = try (0..<8).map { _ in
            deployment.command("signin", try deployment.signInBody(of: "newcomer"))
        }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        #expect(answers.filter { $0.body["isNewUser"] == true }.count == 1)
        #expect(Set(try answers.map { try SignedIn($0).user.text }).count == 1)
    }

    /// No server, no table, or invalid responses: the client should retry and keep its token.
    @Test(arguments: DynamoDB.allCases)
    func `an unreachable store ends no session`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB)
        let client = try deployment.signIn()
        let gone = "http://127.0.0.1:\(try FreePort.find())"
        let broken = try LoopbackServer { _ in .init(status: 500) }
        defer { broken.stop() }
        for url in [gone, broken.url] {
            var elsewhere = deployment
            elsewhere.settings = deployment.settings.map {
                $0.name == "AWS_ENDPOINT_URL" ? ($0.name, url) : $0
            }
            let answer = try elsewhere.refresh(client.refreshToken)
            #expect(answer.status == 503)
            #expect(answer.action == "retry")
            #expect(answer.errorText.contains(#""reason":"unavailable.store""#))
        }
        #expect(try deployment.refresh(client.refreshToken).status == 200)
    }

    @Test(arguments: DynamoDB.allCases)
    func `kill -9 loses nothing that was written to DynamoDB`(dynamoDB: DynamoDB) throws {
        let deployment = try Deployment.on(dynamoDB, [("REFRESH_GRACE_SECONDS", "300")])
        let client = try deployment.signIn()
        var token = client.refreshToken
        var moments = KillMoments()
        for round in 0..<20 {
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
        #expect(try deployment.refresh(token).status == 200, "seed \(moments.seed)")
    }

    private func race(
        _ count: Int, with token: String, in deployment: Deployment
    ) throws -> [Answer] {
        let command = deployment.command("refresh", Deployment.refreshBody(token))
        return try deployment.race(Array(repeating: command, count: count)).map(Answer.init)
    }
}
