/// The result of one run.
package struct RunResult: Sendable {
    let plan: Plan
    package let violation: Violation?
    package let steps: Int
    /// A hash of all choices, which is equal for equal runs.
    package let digest: UInt64
    package let calls: Int
    package let requests: Int
    package let faults: [Fault: Int]
    package let coverage: [String: Int]
    package let outcomes: [String: Int]
    package let transcript: [String]
    /// Lines of JSON: see `History`.
    package let history: [String]
    /// The draws from the seed before the run began.
    package let drawn: [String]

    package var seed: UInt64 { plan.seed }
}

/// Runs seeds, and finds the shortest history that breaks the same invariant.
package struct Runner: Sendable {
    package let contract: String
    package let store: StoreKind
    package let mutation: Mutation?
    /// Overrides the features that the seed draws.
    private let features: Set<Feature>?

    package init(
        contract: String = "latchkey", store: StoreKind = .memory, mutation: Mutation? = nil,
        features: Set<Feature>? = nil
    ) {
        self.contract = contract
        self.store = store
        self.mutation = mutation
        self.features = features
    }

    /// The contracts that have sessions.
    package static let contracts = Dialect.names

    /// The arguments of `simulate` for the same runs.
    package var arguments: String {
        var arguments = "--contract \(contract) --store \(store.rawValue)"
        if let mutation { arguments += " --mutation \(mutation.name)" }
        return arguments
    }

    package func run(
        seed: UInt64, isTold: Bool = false, keepsHistory: Bool = false
    ) throws -> RunResult {
        let dialect = Dialect.named(contract)
        let plan = Plan(seed: seed, features(of: seed)) { dialect?.supports($0) ?? true }
        return try run(plan, isTold: isTold, keepsHistory: keepsHistory)
    }

    /// Only `latchkey` supports all features.
    private func features(of seed: UInt64) -> Set<Feature> {
        if let chosen = features ?? mutation?.features { return chosen.withNeeded }
        return Dialect.named(contract)?.hasEverything == true ? Feature.drawn(for: seed) : []
    }

    func run(
        _ plan: Plan, isTold: Bool = false, keepsHistory: Bool = false
    ) throws -> RunResult {
        let features = features(of: plan.seed)
        let parameters = RunParameters(
            contract: contract, store: store, features: features,
            provider: ProviderDraws(seed: plan.seed, features))
        return try Simulation(
            plan, parameters, mutation, isTold: isTold, keepsHistory: keepsHistory
        ).run()
    }

    /// Shortens the history of a broken invariant by leaving out calls and kinds of faults.
    package func shrink(_ result: RunResult, attemptsMax: Int = 400) throws -> RunResult {
        guard let violation = result.violation else { return result }
        var plan = result.plan
        var attempts = 0
        func fails(_ candidate: Plan) throws -> Bool {
            attempts += 1
            guard attempts <= attemptsMax else { return false }
            return try run(candidate).violation?.invariant == violation.invariant
        }
        for fault in Fault.allCases {
            var candidate = plan
            candidate.without.append(fault)
            if try fails(candidate) { plan = candidate }
        }
        var isShorter = true
        while isShorter, attempts < attemptsMax {
            isShorter = false
            // Leaves out the last rounds first, because most of them come after the violation.
            for index in plan.rounds.indices.reversed() {
                var candidate = plan
                candidate.rounds.remove(at: index)
                if try fails(candidate) {
                    plan = candidate
                    isShorter = true
                }
            }
            for round in plan.rounds.indices {
                for step in plan.rounds[round].steps.indices.reversed() {
                    var candidate = plan
                    candidate.rounds[round].steps.remove(at: step)
                    if try fails(candidate) {
                        plan = candidate
                        isShorter = true
                    }
                }
            }
        }
        return try run(plan, isTold: true)
    }
}
