import AuthTestSupport

/// The parameters of a run, in addition to its seed. The features are drawn from the seed.
struct RunParameters {
    let contract: String
    let store: StoreKind
    let features: Set<Feature>
    let provider: ProviderDraws
}

extension Simulation {
    /// Everything that was drawn from the seed before the run began, one draw a line.
    var drawn: [String] {
        func list(_ names: [String]) -> String {
            names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        let skews = devices.filter { $0.skew != 0 }.map { "\($0.number): \(Int($0.skew)) s" }
        return [
            "features: " + list(parameters.features.map(\.rawValue).sorted()),
            "theme: " + list(plan.theme.map(\.rawValue)),
            "frequent: " + list(plan.frequent.map(\.rawValue)),
            "faults: " + list(context.faults.percentages),
            "slow calls of the store: \(deployment.running.slowness) %",
            "signing keys: \(deployment.storesKeys ? "made by the functions" : "configured")",
            "first functions: release \(plan.beginsWithFormer ? "0.1.0" : "of now")",
            "clocks of devices that are wrong: " + list(skews),
        ] + parameters.provider.drawn
    }
}
