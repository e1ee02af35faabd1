import Foundation
import TestSupport
import Testing

@Suite("ReplayTests") struct ReplayTests {
    @Test(arguments: Events.catalog.fixtures)
    func `an event is answered as its response says`(_ fixture: Fixture) async {
        let problems = await Replay.shared.problems(of: fixture)
        guard !problems.isEmpty else { return }
        Issue.record("\(fixture):\n\(problems.joined(separator: "\n"))")
    }

    @Test func `every file of Events is part of an event`() {
        #expect(Events.catalog.strays == [])
        #expect(!Events.catalog.fixtures.isEmpty)
    }

    @Test func `no secret is in a log or in a refusal, over the whole replay`() async {
        let ledger = await Replay.shared.everything()
        let texts = ledger.texts.map { (label: $0.label, data: Data($0.bytes)) }
        #expect(!texts.isEmpty)
        for secret in ledger.secrets {
            let needle = Data(secret.value.utf8)
            for text in texts where text.data.range(of: needle) != nil {
                // Not its value: a failing test must not leak it either.
                Issue.record("\(text.label) holds a \(secret.kind)")
            }
        }
    }
}

/// `Events/` of this repository.
enum Events {
    static let catalog = Fixture.catalog(root: root, functions: FunctionTable.names)

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Events").path
}

/// Where the executables are: in the directory that LATCHKEY_EXECUTABLES names, or beside this
/// test bundle.
enum Executables {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    static func directory() throws -> String {
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
        FunctionTable.names.allSatisfy {
            FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)")
        }
    }
}
