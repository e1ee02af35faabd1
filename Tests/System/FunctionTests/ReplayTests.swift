import AuthTestSupport
import Contracts
import EmulatorReplay
import Foundation
import TestSupport

@Suite("ReplayTests") struct ReplayTests {
    @Test(arguments: Events.catalog.fixtures)
    func `an event gets its recorded response`(_ fixture: Fixture) async {
        await EventReplay.sqlite.expectNoProblem(of: fixture)
    }

    @Test func `every file of Events belongs to a fixture`() {
        expectEqual(Events.catalog.strays, [])
        #expect(Events.catalog.problem == nil, "\(Events.catalog.problem?.description ?? "")")
        #expect(!Events.catalog.fixtures.isEmpty)
    }

    @Test func `every fixture of Events is in its shortest form`() {
        let lines = Mutex<[String]>([])
        let output = ToolOutput(
            print: { line in lines.withLock { $0.append(line) } }, note: { _ in }, progress: nil)
        expectEqual(ShortenCommand.run(Events.root, isCheck: true, to: output), 0)
        expectEqual(lines.withLock { $0 }, [])
    }

    /// Housekeeping counts one of 64 shards in a run, and random names put chains into shards.
    @Test func `no fixture expects an exact number of audit chains`() throws {
        for fixture in Events.catalog.fixtures where fixture.function == "housekeeping" {
            guard try fixture.given?["steps"] != nil else { continue }
            let jobs = Events.response(fixture)?["jobs"]
            guard let chains = jobs?["audit"]?["chains"] else { continue }
            expectEqual(chains, "<integer>", "\(fixture)")
        }
    }

    @Test func `no log and no error response contains a secret`() async throws {
        let leakDetector = try await EventReplay.sqlite.everything()
        #expect(leakDetector.textCount > 0)
        #expect(leakDetector.secretCount > 0)
        expectEqual(leakDetector.leaks, [])
    }

    @Test(arguments: try Events.settings.get().shapes.map(\.contract))
    func `the token formats in fixtures match the contract's policy`(_ name: String) throws {
        let policy = try #require(Contract.named(name)).policy
        let shapes = try Events.settings.get().shapes(of: name)
        var token: JSON?
        var refreshToken: String?
        for (hole, shape) in shapes.custom {
            switch shape {
            case .pattern(let pattern) where hole == "refreshToken": refreshToken = pattern
            case .token(let header?, let claims?, let seconds) where hole == "accessToken":
                token = [
                    "alg": header["alg"] ?? .null, "typ": header["typ"] ?? .null,
                    "aud": claims["aud"] ?? .null, "seconds": .number(seconds ?? 0),
                ]
            case .token(let header?, _, _) where hole == "refreshToken":
                refreshToken = header["typ"]?.stringValue
            // The provider's, for clients.
            case _ where hole.hasPrefix("client") || hole.hasSuffix("dentityToken"): break
            case _ where ["ownToken", "exchangedToken", "revocations"].contains(hole): break
            default: Issue.record("\(hole) is no shape of a contract")
            }
        }
        expectEqual(
            token,
            [
                "alg": .string(policy.accessTokens.algorithm.rawValue.uppercased()),
                "typ": .string(policy.accessTokens.type),
                "aud": policy.accessTokens.claim(.audience) == nil
                    ? .null : .string(policy.accessTokens.audience),
                "seconds": .number(policy.accessTokens.lifetime.seconds),
            ])
        let expected =
            switch policy.sessions.refreshTokens {
            case .selfContained(let prefix): "\(prefix)<base64url>"
            case .opaque(let prefix): "\(prefix)<nonce>"
            case .uuid: "<uuid>"
            case .jwt(let type): type
            }
        expectEqual(refreshToken, expected)
    }
}

/// `Events/` of this repository.
enum Events {
    static let catalog = Fixture.Catalog(root: root)

    static let root = RepositoryRoot.url.appending(path: "Events").path

    static let settings = Result { try FixtureSettings(folder: root) }

    /// The expected response of a fixture.
    static func response(_ fixture: Fixture) -> JSON? {
        try? fixture.response(settings.get())
    }
}

/// The directory of the executables: `LATCHKEY_EXECUTABLES`, or beside this test bundle.
enum ExecutableDirectory {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    static func find() throws -> String {
        let names = Set(Events.catalog.fixtures.map(\.function))
        let directories = Set(
            names.map { name in
                URL(filePath: BuiltExecutables.path(of: name)).deletingLastPathComponent().path
            })
        guard let directory = directories.first, directories.count == 1 else {
            throw Missing(description: "LATCHKEY_EXECUTABLES has not all executables")
        }
        let executables = Executables(directory: directory)
        guard names.allSatisfy({ executables.path(of: $0) != nil }) else {
            throw Missing(description: "the executables are not beside the tests: swift build")
        }
        return directory
    }
}
