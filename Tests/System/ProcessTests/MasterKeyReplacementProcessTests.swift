import AuthTestSupport
import Glibc
import TestSupport

/// Housekeeping as a process, on DynamoDB, with a master key that replaced another.
@Suite("A new master key, with real processes", .serialized, .hangLimit)
struct MasterKeyReplacementProcessTests {
    private static let (old, new) = (
        String(repeating: "o", count: 40), String(repeating: "n", count: 40)
    )

    private static func tokens(_ secret: String, seed: UInt64) throws -> ProviderTokenStore {
        let master = try #require(MasterKey(SecretBytes(utf8: secret)))
        return try ProviderTokenStore(master, random: .seeded(seed))
    }

    private static let users = (1...40).map { UserID(random: .seeded($0)) }

    private static func row(_ user: UserID) -> ItemKey {
        StoreLayout.grant(of: .apple(), clientID: "app", in: user)
    }

    private func deployment(_ dynamoDB: DynamoDB) throws -> Deployment {
        var deployment = try Deployment.on(dynamoDB)
        deployment.settings.removeAll { $0.name == "MASTER_KEY" }
        deployment.settings += [
            ("MASTER_KEY", Self.new), ("MASTER_KEY_PREVIOUS", Self.old),
            ("MAIL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "no-reply@example.com"),
        ]
        let store = try #require(deployment.remoteStore)
        // Every third is under the new key already.
        for (number, user) in Self.users.enumerated() {
            let secret = number.isMultiple(of: 3) ? Self.new : Self.old
            let tokens = try Self.tokens(secret, seed: UInt64(number))
            try store.write(try tokens.keep(.apple("token \(number)", clientID: "app"), of: user))
        }
        return deployment
    }

    private func housekeeping(_ deployment: Deployment) -> Command {
        var command = deployment.eventless("housekeeping")
        command.input = .bytes(Array("{}".utf8))
        return command
    }

    private func counts(_ result: ProcessResult) throws -> JSON {
        try #require(result.end == .exit(0), "\(result.text) \(result.errorText)")
        return try #require(try JSON.parse(result.output, limits: .event)["jobs"]?["masterKey"])
    }

    @Test(arguments: DynamoDB.allCases)
    func `a run encrypts everything with the new key, and a kill loses nothing`(dynamoDB: DynamoDB)
        throws
    {
        let deployment = try deployment(dynamoDB)
        for milliseconds: UInt32 in [30, 60, 90] {
            let process = try ChildProcess(housekeeping(deployment))
            usleep(milliseconds * 1000)
            process.kill(SIGKILL)
            _ = process.wait()
        }
        let first = try counts(ChildProcess.run(housekeeping(deployment)))
        #expect(first["left"] == 0 && first["unreadable"] == 0, "\(first.text)")
        let second = try counts(ChildProcess.run(housekeeping(deployment)))
        #expect(second["renewed"] == 0 && second["left"] == 0, "\(second.text)")
        #expect(second["sessionDaysLeft"] == 31 && second["auditDaysLeft"] == 91)
        let store = try #require(deployment.remoteStore)
        let tokens = try Self.tokens(Self.new, seed: 99)
        for (number, user) in Self.users.enumerated() {
            let item = try #require(try store.get(Self.row(user)))
            try expectEqual(tokens.open(item).token, SecretBytes(utf8: "token \(number)"))
        }
    }
}
