import Foundation
import Simulations
import TestSupport

/// Functions whose store speaks with DynamoDB, and apps of other contracts: see docs/simulation.md.
@Suite("Simulation of stores and contracts") struct StoreSimulationTests {
    private static func expectNothingBroken(
        _ runner: Runner, _ seeds: ClosedRange<UInt64>
    ) throws -> Summary {
        var summary = Summary()
        for seed in seeds {
            let result = try runner.run(seed: seed)
            summary.add(result)
            if let violation = result.violation {
                Issue.record(
                    """
                    \(violation.invariant.rawValue): \(violation.text); see
                    simulate \(runner.arguments) --seed \(seed)
                    """)
            }
        }
        return summary
    }

    @Test func `no seed breaks an invariant with DynamoDB`() throws {
        let summary = try Self.expectNothingBroken(Runner(store: .dynamodb), 1...11)
        #expect(summary.steps > 8_000)
        // Without these, the messages would have no faults.
        let wanted: [Fault] = [
            .storeAnswerLost, .storeRequestLate, .storeThrottled, .storeConflict, .storeFailed,
            .storeAnswerDamaged, .storePageShort, .storeRowsRemoved,
        ]
        for fault in wanted { #expect(summary.faults[fault] ?? 0 > 0, "no \(fault.name)") }
    }

    @Test func `the same seed gives the same history with DynamoDB`() throws {
        let runner = Runner(store: .dynamodb)
        let (first, second) = (
            try runner.run(seed: 7, isTold: true), try runner.run(seed: 7, isTold: true)
        )
        #expect(first.digest == second.digest && first.transcript == second.transcript)
    }

    @Test(arguments: Runner.contracts.dropFirst())
    func `no seed breaks an invariant of another contract`(name: String) throws {
        let summary = try Self.expectNothingBroken(Runner(contract: name), 1...6)
        let wanted = ["POST /auth/signin", "POST /auth/refresh"]
        let operations = summary.operations
        for operation in wanted {
            #expect(operations.first { $0.name == operation }?.requests ?? 0 > 5, "\(operation)")
        }
    }

    /// The bugs of docs/simulation.md that few seeds find.
    @Test(arguments: [
        "dynamodb-two-writes", "dynamodb-first-reason", "dynamodb-eventual-reads",
        "dynamodb-expired-is-read",
    ])
    func `a bug in the messages to DynamoDB is found`(name: String) throws {
        let mutation = try #require(Mutation.named(name))
        let result = try MutationResult.find(mutation, seeds: 1...20)
        #expect(result.violation != nil, "\(name) is not found in \(result.steps) steps")
    }

    @Test(arguments: [
        ("whateat", "sign-out-does-nothing"), ("livlogios", "administrator-does-nothing"),
        ("news_app", "unmade-profile"), ("shell", "uncounted-requests"),
    ])
    func `a bug is found with another contract`(contract: String, name: String) throws {
        let mutation = try #require(Mutation.named(name))
        let runner = Runner(contract: contract, mutation: mutation)
        let found = try (UInt64(1)...20).contains { try runner.run(seed: $0).violation != nil }
        #expect(found, "\(name) is not found")
    }

    @Test func `the output does not depend on the number of threads`() throws {
        let program = BuiltExecutables.path(of: "simulate")
        let outputs = try ["1", "3"].map { jobs in
            let folder = try TemporaryFolder()
            let history = folder.file("history")
            let arguments = ["--steps", "4000", "--jobs", jobs, "--history", history]
            let result = try ChildProcess.run(Command(program, arguments))
            expectEqual(result.end, .exit(0), "\(result.text)")
            // The first line has the speed.
            let lines = result.text.split(separator: "\n").dropFirst()
            return (lines.joined(separator: "\n"), try Data(contentsOf: URL(filePath: history)))
        }
        #expect(outputs[0].0 == outputs[1].0 && outputs[0].1 == outputs[1].1)
        #expect(!outputs[0].1.isEmpty)
    }
}
