import Simulations

/// Printed reports, and docs/simulation.md.
enum Page {
    static func line(_ runs: Runs) -> String {
        let summary = runs.summary
        let rate = runs.seconds > 0 ? Int(Double(summary.steps) / runs.seconds) : 0
        return "\(summary.steps) steps of \(summary.seeds) seeds, \(summary.calls) calls, "
            + "\(summary.requests) requests, \(summary.faultCount) faults; "
            + "\(rate) steps a second of processor time"
    }

    static func faults(_ all: [Runs]) -> String {
        let names = Set(all.flatMap(\.summary.faults.keys)).sorted()
        return table(
            ["fault"] + all.map { "store: \($0.runner.store.rawValue)" },
            names.map { name in
                ["`\(name.name)`"] + all.map { "\($0.summary.faults[name] ?? 0)" }
            })
    }

    static func coverage(_ all: [Runs]) -> String {
        var summary = Summary()
        for runs in all { summary.add(runs.summary) }
        return table(
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
        commit: String, _ all: [Runs], _ mutations: [MutationResult],
        _ rotation: RotationModel.Report
    ) -> String {
        // The operations of the other contracts are a subset of these.
        let main = all.filter { $0.runner.contract == "latchkey" }
        return [introduction, runs(commit, all, main, rotation), bugs(mutations)].joined(
            separator: "\n")
    }

    private static var introduction: String {
        """
        # Simulation of clients and functions

        <!-- Written by `make simulation`. -->

        `simulate` runs the Swift client, the functions of `latchkey` and their store in one \
        thread: three
        people with two devices and two apps each, and thieves with copied tokens. They have \
        passwords,
        providers, mailed links and codes, authenticator apps, passkeys, and guest accounts \
        that are merged
        into others; administrators disable accounts, signing keys are replaced, and functions \
        with old and new
        master keys run at once. Programs of other parties ask for access, and resource servers \
        take their tokens. Each of the features below is in some of the runs of `latchkey`. \
        In some runs, the first functions write rows and access tokens as release 0.1.0
        did. A seed decides every order of events, every fault and the time; the same seed gives \
        the same bytes. The
        functions get gateway events and answer bytes; only cheap password hashes and, in most \
        runs, HMAC
        signatures differ from a deployment. A step is one thing that happens: a job of the \
        client, a
        message, a call of a store, a timer.

        ```sh
        scripts/swift run simulate --seed 7            # one history, line by line
        scripts/swift run simulate --minutes 10 --jobs 2
        scripts/swift run simulate --contract shell    # apps and functions of another contract
        scripts/swift run simulate --mutation no-grace # a planted bug, and the shortest history \
        that shows it
        scripts/swift run simulate --history sessions.jsonl && scripts/judge-history sessions.jsonl
        ```

        With a seed, the program first prints everything that the seed draws before the run \
        begins: the features,
        the calls that are more frequent, the percentage of each fault, slow calls of the store, \
        the keys, the
        release of the first functions, and clocks that are wrong.

        A rule has two parts. The actions of people and thieves are in
        `Tools/Simulation/Simulations/Runs/Simulation.swift` and its extensions. The invariant is \
        in a file of
        `Tools/Simulation/Simulations/Observers`; `Observer.swift` there lists all of them.

        \(table(["feature", "meaning in the runs"], features))

        """
    }

    private static func runs(
        _ commit: String, _ all: [Runs], _ main: [Runs], _ rotation: RotationModel.Report
    ) -> String {
        """
        With `--store dynamodb`, the store is the same as in a deployment, with its signatures, \
        expressions and
        retries; its HTTP client is replaced by the emulator's engine, which gets and answers \
        the same
        bytes. Messages between the two are lost, late and damaged, the service throttles and \
        fails, reads
        that do not ask for consistency see the past, and expired rows are removed at any later \
        time.

        Commit \(commit). No invariant was broken:

        \(all.map { "- `\($0.runner.arguments)`: \(line($0))" }.joined(separator: "\n"))

        `scripts/judge-history` knows nothing of the simulation: it searches, for each account, an \
        order of the
        operations on its sessions that agrees with time and with a sequential model \
        (linearizability).

        `simulate --rotation` explores every history of refresh tokens of 3 clients with 3 \
        generations: the
        real operations, any of which runs between the read and the write of another, messages \
        lost, late and
        repeated, a sign-out, and the end of the grace period. \(rotation.line): a token has one \
        successor,
        reuse ends the session, and nothing brings it back.

        ## Invariants

        \(table(["name", "what holds"], invariants))

        ## Faults

        \(faults(main))

        ## Coverage

        \(coverage(main))

        """
    }

    private static func bugs(_ mutations: [MutationResult]) -> String {
        let found = mutations.count { $0.violation != nil }
        let guarded = mutations.count { $0.violation == nil && $0.isExplained }
        return """
            ## Mutations

            Bugs that are planted in the store, its messages, the contract's policy, the \
            provider's settings, the requests and answers, the
            network, the device, or between the functions and the app's own servers, never in \
            shipped code: \
            \(found) of \(mutations.count) are found. \(guarded) are prevented by
            another condition of the same write, and are found without it. A bug is looked for in \
            runs with the
            feature that it is about, or without any.

            | mutation | bug | found as | steps |
            | --- | --- | --- | --- |
            \(mutations.map(\.row).joined(separator: "\n"))

            """
    }

    private static var features: [[String]] {
        Feature.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
    }

    private static var invariants: [[String]] {
        Invariant.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
    }
}
