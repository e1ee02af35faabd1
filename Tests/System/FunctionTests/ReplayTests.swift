import AuthDomain
import Contracts
import EmulatorReplay
import Foundation
import JSON
import TestSupport
import Testing
import Time

@Suite("ReplayTests") struct ReplayTests {
    @Test(arguments: Events.catalog.fixtures)
    func `an event is answered as its response says`(_ fixture: Fixture) async {
        let problems = await EventReplay.shared.problems(of: fixture)
        guard !problems.isEmpty else { return }
        Issue.record("\(fixture):\n\(problems.joined(separator: "\n"))")
    }

    @Test func `every file of Events is part of an event`() {
        #expect(Events.catalog.strays == [])
        #expect(!Events.catalog.fixtures.isEmpty)
    }

    @Test func `no secret is in a log or in a refusal, over the whole replay`() async throws {
        let ledger = try await EventReplay.shared.everything()
        #expect(ledger.textCount > 0)
        #expect(ledger.secretCount > 0)
        #expect(ledger.leaks == [])
    }

    @Test(arguments: Contract.all.map(\.name))
    func `the shapes of a contract's tokens are those of its policy`(_ name: String) throws {
        let policy = try #require(Contract.named(name)).policy
        let shapes = try FixtureSettings(folder: Events.root).shapes(of: name)
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
            default: Issue.record("\(hole) is no shape of a contract")
            }
        }
        #expect(
            token == [
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
        #expect(refreshToken == expected)
    }
}

/// `Events/` of this repository.
enum Events {
    static let catalog = Fixture.Catalog(root: root)

    static let root = RepositoryRoot.url.appending(path: "Events").path
}

/// Where the executables are: in the directory that LATCHKEY_EXECUTABLES names, or beside this
/// test bundle.
enum ExecutableDirectory {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    static func find() throws -> String {
        let named = ProcessInfo.processInfo.environment["LATCHKEY_EXECUTABLES"]
        if let named, !named.isEmpty {
            guard isComplete(named) else {
                throw Missing(description: "LATCHKEY_EXECUTABLES names no directory of executables")
            }
            return named
        }
        let programs = CommandLine.arguments + ["/proc/self/exe"]
        let directories = programs.map {
            URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path
        }
        guard let found = directories.first(where: isComplete) else {
            throw Missing(description: "the executables are not beside the tests: swift build")
        }
        return found
    }

    private static func isComplete(_ directory: String) -> Bool {
        let executables = Executables(directory: directory)
        return Set(Events.catalog.fixtures.map(\.function)).allSatisfy {
            executables.path(of: $0) != nil
        }
    }
}
