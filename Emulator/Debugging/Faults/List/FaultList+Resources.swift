internal import EmulatorBase

extension FaultList {
    /// The active faults that affect requests to a provider, one on each line; nil stands for any
    /// provider.
    package func lines(ofProvider name: String?) -> [String] {
        active.filter { entry in
            guard entry.rule.match.service == .provider else { return false }
            guard let name, let pattern = entry.rule.match.pattern(.provider) else { return true }
            return Wildcard.matches(pattern, name)
        }.map(\.rule.text)
    }
}
