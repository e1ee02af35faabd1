import AuthDomain

/// A planted bug, to show that the simulation finds it. Neither the functions nor the client
/// contain code for it.
package struct Mutation: Sendable {
    package private(set) var name: String
    /// A description of the bug.
    package let what: String
    private var policy: @Sendable (inout Policy) -> Void = { _ in }
    private var store: @Sendable (StoreFlaws) -> Void = { _ in }
    private var disk: @Sendable (inout DeviceDisk.Flaws) -> Void = { _ in }
    private var deployment: DeploymentFlaws.Flaw?
    /// A bug in the DynamoDB store.
    private(set) var dynamoDB: DynamoDBBug?
    /// A bug in the calls of the app's hooks, or in the events sent to the app.
    var hooks: AppHooks.Flaw?
    var events: EventReceiver.Flaw?
    var provider: ProviderFlaws.Flaw?
    /// A bug in the notices to programs about ended sessions.
    var logout: LogoutReceiver.Flaw?
    /// A bug in the list of ended sessions, or in the server that polls it.
    var list: ListServer.Flaw?
    /// The features that a run needs to find the bug.
    private(set) var features: Set<Feature> = []
    var mixesAnswersUp = false
    var rollout = Fleet.Rollout.careful
    /// Only a violation of this invariant counts, because other mutations break the other
    /// invariants too.
    private(set) var watched: Invariant?
    /// Another condition of the same write, which prevents the bug. Only a mutation that also
    /// removes this condition shows the bug.
    package private(set) var guardedBy: String?

    func plant(_ policy: inout Policy) { self.policy(&policy) }
    func plant(_ flaws: StoreFlaws) { store(flaws) }
    func plant(_ disk: DeviceDisk) { self.disk(&disk.flaws) }
    func plant(_ flaws: DeploymentFlaws) { flaws.flaw = deployment }

    private init(_ name: String, _ what: String) {
        self.name = name
        self.what = what
    }

    static func policy(
        _ name: String, _ what: String, _ change: @escaping @Sendable (inout Policy) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.policy = change
        return mutation
    }

    static func store(
        _ name: String, _ what: String, _ change: @escaping @Sendable (StoreFlaws) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.store = change
        return mutation
    }

    /// Marks the bug as belonging to these features.
    func about(_ features: Feature...) -> Mutation {
        var mutation = self
        mutation.features = Set(features)
        return mutation
    }

    /// The bug counts as found only if it breaks this invariant, because it breaks others too.
    func breaking(_ invariant: Invariant) -> Mutation {
        var mutation = self
        mutation.watched = invariant
        return mutation
    }

    func named(_ name: String) -> Mutation {
        var mutation = self
        mutation.name = name
        return mutation
    }

    /// Shows that another condition of the write prevents the bug, with a mutation that removes
    /// both.
    func guarded(by what: String, _ pair: Mutation, breaking invariant: Invariant) -> [Mutation] {
        var (alone, both) = (self, pair)
        alone.guardedBy = "\(what): see `\(pair.name)`"
        both.watched = invariant
        return [alone, both]
    }

    static func unconditional(_ kinds: [RowKind]) -> Mutation {
        let names = kinds.map(\.rawValue)
        return store(
            "unconditional-" + names.joined(separator: "-"),
            "writes of " + names.joined(separator: ", ") + " rows without conditions"
        ) {
            $0.unconditional = Set(kinds)
        }
    }

    static func unmade(_ kind: RowKind) -> Mutation {
        store(
            "unmade-\(kind.rawValue)",
            "changes of \(kind.rawValue) rows are acknowledged, but not made"
        ) {
            $0.unmade = [kind]
        }
    }

    static func undeleted(_ kind: RowKind) -> Mutation {
        store("undeleted-\(kind.rawValue)", "\(kind.rawValue) rows are not deleted") {
            $0.undeleted = [kind]
        }
    }

    static func stale(_ kind: RowKind) -> Mutation {
        store("stale-\(kind.rawValue)", "\(kind.rawValue) rows are read from a replica that lags") {
            $0.stale = [kind]
        }
    }

    static func device(
        _ name: String, _ what: String,
        _ change: @escaping @Sendable (inout DeviceDisk.Flaws) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.disk = change
        return mutation
    }

    static func answer(
        _ name: String, _ what: String, _ flaw: DeploymentFlaws.Flaw
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.deployment = flaw
        return mutation
    }

    static func dynamoDB(_ bug: DynamoDBBug) -> Mutation {
        var mutation = Mutation("dynamodb-" + bug.rawValue, bug.what)
        mutation.dynamoDB = bug
        return mutation
    }

    static func other(
        _ name: String, _ what: String, _ change: (inout Mutation) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        change(&mutation)
        return mutation
    }

    package static func named(_ name: String) -> Mutation? { all.first { $0.name == name } }
}
