import Simulations

/// What is printed, and docs/simulation.md.
enum Page {
    static func line(_ summary: Summary, _ seconds: Double) -> String {
        let rate = seconds > 0 ? Int(Double(summary.steps) / seconds) : 0
        return "\(summary.steps) steps of \(summary.seeds) seeds, \(summary.calls) calls, "
            + "\(summary.requests) requests, \(summary.faultCount) faults; \(rate) steps a second of processor time"
    }

    static func faults(_ summary: Summary) -> String {
        table(
            ["fault", "times"],
            summary.faults.sorted { $0.key < $1.key }.map {
                ["`\($0.key.name)`", "\($0.value)"]
            })
    }

    static func coverage(_ summary: Summary) -> String {
        table(
            ["operation", "requests", "statuses", "statuses after faults"],
            summary.operations.map {
                ["`\($0.name)`", "\($0.requests)", "\($0.outcomes)", "\($0.combinations)"]
            })
    }

    private static func table(_ names: [String], _ rows: [[String]]) -> String {
        let lines = [names, names.map { _ in "---" }] + rows
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    static func text(
        commit: String, _ summary: Summary, _ seconds: Double, _ mutations: [MutationResult],
        _ rotation: RotationModel.Report
    ) -> String {
        let found = mutations.count { $0.violation != nil }
        let guarded = mutations.count { $0.violation == nil && $0.isExplained }
        return """
            # Simulation of clients and functions

            <!-- Written by `make simulation`. -->

            `simulate` runs the Swift client, the functions of `latchkey` and their store in one thread: three
            people with two devices and two apps each, and thieves with copied tokens. They have passwords,
            providers, mailed links and codes, authenticator apps, passkeys, and accounts of guests that end in
            others; administrators disable accounts, signing keys are replaced, and functions with old and new
            master keys run at once. A seed decides every order of events, every fault and the time; the same
            seed gives the same bytes. The functions get gateway events and answer bytes; only cheap password
            hashes and, in most runs, HMAC signatures differ from a deployment. A step is one thing that
            happens: a job of the client, a message, a call of a store, a timer.

            ```sh
            scripts/swift run simulate --seed 7            # one history, line by line
            scripts/swift run simulate --minutes 10
            scripts/swift run simulate --mutation no-grace # a planted bug, and the shortest history that shows it
            scripts/swift run simulate --history sessions.jsonl && scripts/judge-history sessions.jsonl
            ```

            Commit \(commit): \(line(summary, seconds)). No invariant was broken.

            `scripts/judge-history` knows nothing of the simulation: it searches, for each account, an order of the
            operations on its sessions that agrees with time and with a sequential model (linearizability).

            `simulate --rotation` explores every history of refresh tokens of 3 clients with 3 generations: the
            real operations, any of which runs between the read and the write of another, messages lost, late and
            repeated, a sign-out, and the end of the grace period. \(rotation.line): a token has one successor,
            reuse ends the session, and nothing brings it back.

            ## Invariants

            \(table(["name", "what holds"], invariants))

            ## Faults

            \(faults(summary))

            ## Coverage

            \(coverage(summary))

            ## Mutations

            Bugs that are planted in the store, the contract's policy, the answers, the network or the device,
            never in shipped code: \(found) of \(mutations.count) are found. \(guarded) are prevented by
            another condition of the same write, and are found without it.

            | mutation | bug | found as | steps |
            | --- | --- | --- | --- |
            \(mutations.map(\.row).joined(separator: "\n"))

            """
    }

    private static var invariants: [[String]] {
        Invariant.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
    }
}
