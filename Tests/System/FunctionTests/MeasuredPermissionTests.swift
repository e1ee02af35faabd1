import EmulatorReplay
import Foundation
import TestSupport
import Testing

/// Least privilege, by measurement: every fixture is replayed on the emulator's DynamoDB, and what
/// each function did there is compared with what its policy allows. `Permissions/<contract>.txt` is
/// what the template says (TemplatePermissionTests).
@Suite("Measured permissions", .enabled(if: BuiltExecutables.directory != nil), .hangLimit)
struct MeasuredPermissionTests {
    @Test func `no function does more than its policy allows`() async throws {
        let allowed = try Self.allowed()
        let calls = try await EventReplay.dynamoDB.calls()
        #expect(calls.count > 500)
        #expect(calls.subtracting(allowed).map(\.line).sorted() == [])
    }

    private static func allowed() throws -> Set<ObservedCall> {
        let folder = RepositoryRoot.url.appending(path: "Tests/System/TemplateTests/Permissions")
        var calls: Set<ObservedCall> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let contract = String(file.prefix { $0 != "." })
            var function = ""
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard line.hasPrefix(" ") else {
                    function = words[0]
                    continue
                }
                for partition in words.dropFirst() where words[0] != "secrets" {
                    calls.insert(
                        ObservedCall(
                            contract: contract, function: function, action: words[0],
                            partition: partition))
                }
            }
        }
        return calls
    }
}

extension ObservedCall {
    fileprivate var line: String {
        "\(contract) \(function) \(action) \(partition ?? "(any)")"
    }
}
