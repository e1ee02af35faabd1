import Simulations
import TestSupport

/// Clients and functions in one thread, from a seed: see docs/simulation.md.
@Suite("Simulation") struct SimulationTests {
    /// Seeds that have broken an invariant since the runs have features. Bugs that were found in
    /// other ways have tests by name.
    ///
    /// | seed | |
    /// |---|---|
    /// | 19 | an event of a queue that was found empty waited for the next one |
    /// | 239, 328, 339, 438, 712, 1237 | the observers were wrong |
    static let permanent: [UInt64] = [19, 239, 328, 339, 438, 712, 1237, 3005]
    static let blocks = Array(UInt64(0)..<2)

    private static func expectNothingBroken(
        _ seed: UInt64, _ runner: Runner = Runner()
    ) throws -> RunResult {
        let result = try runner.run(seed: seed)
        if let violation = result.violation {
            let transcript = try runner.shrink(result).transcript.joined(separator: "\n")
            Issue.record(
                "seed \(seed): \(violation.invariant.rawValue): \(violation.text)\n\(transcript)")
        }
        return result
    }

    @Test(arguments: blocks)
    func `no seed breaks an invariant`(block: UInt64) throws {
        var summary = Summary()
        for seed in (block * 12 + 1)...(block * 12 + 12) {
            summary.add(try Self.expectNothingBroken(seed))
        }
        // Without these, the simulation would test nothing.
        #expect(summary.steps > 15_000 && summary.faultCount > 100)
        #expect(summary.operations.count > 12)
        let wanted = ["refresh: done", "signOut: done", "logIn: done", "profile: sign in again"]
        for name in wanted { #expect(summary.outcomes[name] ?? 0 > 0, "\(name)") }
    }

    @Test(arguments: permanent)
    func `seeds that broke an invariant break none now`(seed: UInt64) throws {
        _ = try Self.expectNothingBroken(seed)
    }

    @Test func `no seed breaks an invariant with every feature`() throws {
        let runner = Runner(features: Set(Feature.allCases))
        var summary = Summary()
        for seed in UInt64(1)...80 { summary.add(try Self.expectNothingBroken(seed, runner)) }
        let operations = summary.operations.map { $0.name }
        for name in [
            "POST /auth/ui/consent", "POST /oauth/token", "POST /oauth/introspect",
            "POST /oauth/device", "GET /oauth/logout", "POST /auth/ui/logout",
        ] {
            #expect(operations.contains(name), "\(name)")
        }
        let faults: [Fault] = [
            .hookRefuses, .hookFails, .hookLate, .receiverRefuses, .programRefused,
            .consentDemanded, .stepUpDemanded,
        ]
        for fault in faults { #expect(summary.faults[fault] ?? 0 > 0, "\(fault.name)") }
    }

    @Test func `an address is changed and confirmed`() throws {
        let runner = Runner(features: [.accountChanges])
        let wanted = ["changeEmail: done", "confirmEmail: done"]
        var summary = Summary()
        // One in fifty seeds does both.
        for seed in UInt64(1)...400 {
            summary.add(try Self.expectNothingBroken(seed, runner))
            if wanted.allSatisfy({ summary.outcomes[$0] ?? 0 > 0 }) { return }
        }
        Issue.record("no seed does so")
    }

    @Test func `the same seed gives the same history`() throws {
        for seed in [UInt64(1), 2, 3, 19] {
            let (first, second) = (
                try Runner().run(seed: seed, isTold: true),
                try Runner().run(seed: seed, isTold: true)
            )
            #expect(first.digest == second.digest && first.transcript == second.transcript)
            #expect(first.transcript.count > 50)
            // Everything that the seed draws before the run is printed.
            #expect(first.drawn == second.drawn && first.drawn.count == 12)
        }
    }

    /// The bugs of docs/simulation.md that only few seeds find.
    @Test(arguments: [
        "unmade-profile", "unconditional-auditHead", "undeleted-session", "undeleted-challenge",
        "no-grace", "sign-out-does-nothing", "no-rotation", "tells-unknown-by-body",
        "foreign-credentials", "device-answers-early", "unmade-password",
        "administrator-does-nothing", "master-key-in-one-step", "unmade-secondFactor",
        "unmade-passkey", "undeleted-resetLink-epoch", "undo-does-nothing",
        "hook-refusals-ignored", "hook-failures-ignored",
        "hook-claims-mixed-up", "webhook-refused-is-sent", "webhook-out-of-order",
        "B4-wrong-replay", "B5-redirected-errors", "B14-any-verifier",
        "B20-grant-types", "B21-userinfo", "B23-no-consent", "B29-closed-account",
        "B36-any-secret", "B40-own-errors", "B47-one-grant", "B54-max-age", "B56-nonce",
        "undeleted-clientGrant", "undeleted-consent", "answered-again",
        "bound-as-bearer", "ignored-proofs", "code-without-key", "B28-code-of-former-document",
        "B28-page-of-other-document", "B50-any-host", "hook-step-up-forgotten",
        "hook-not-asked-about-clients",
        "unmade-ended", "list-shard", "list-epochs", "list-window", "list-same-tag",
        "list-incomplete", "list-expired",
        "undeleted-deviceRequest", "device-slowed-for-ever", "device-refused-is-allowed",
        "device-after-sign-out", "unmade-logoutNotice", "logout-passwords", "logout-grant",
        "logout-same-id", "ended-refresh", "ended-code", "ended-device", "own-userinfo",
    ])
    func `a planted bug is found`(name: String) throws {
        let mutation = try #require(Mutation.named(name))
        let result = try MutationResult.find(mutation, seeds: 1...20)
        #expect(result.violation != nil, "\(name) is not found in \(result.steps) steps")
    }

    @Test func `a broken invariant is shown in a short history`() throws {
        let mutation = try #require(Mutation.named("sign-out-does-nothing"))
        let runner = Runner(mutation: mutation)
        let found = try #require(
            (UInt64(1)...20).lazy.compactMap { seed in
                (try? runner.run(seed: seed)).flatMap { $0.violation == nil ? nil : $0 }
            }.first)
        let shortest = try runner.shrink(found)
        expectEqual(shortest.violation?.invariant, found.violation?.invariant)
        #expect(shortest.transcript.count < 60, "\(shortest.transcript.count) lines")
        #expect(shortest.transcript.contains { $0.lowercased().contains("signout") })
    }
}
