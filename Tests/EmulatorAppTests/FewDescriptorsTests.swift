import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// More callers at once than there are descriptors for: they wait for each other.
@Suite("An emulator with few descriptors", .timeLimit(.minutes(5)))
struct FewDescriptorsTests {
    private static let descriptorsMax = 110
    private static let callers = 40

    @Test(arguments: ["warm", "cold"])
    func `serves everybody in the end`(mode: String) throws {
        let site = try Site([:], ["--mode", mode, "--quiet"])
        try site.write(["subject": try Subject.function(site, "subject")])
        let emulator = try EmulatorProcess(
            site.command.throughShell("ulimit -n \(Self.descriptorsMax)"))
        let event = #"{"do":"sleep","seconds":0.2}"#
        let answers = (0..<Self.callers).map { _ in
            Answering { try Caller(emulator).invoke("subject", event) }
        }
        let failures = answers.map { $0.wait() }
            .filter { $0 == nil || $0?.header("x-amz-function-error") != nil }
        #expect(failures.isEmpty, "\(failures.count): \(failures.first??.text ?? "no answer")")
        #expect(try Subject.isFine("subject", Caller(emulator)))
    }
}
