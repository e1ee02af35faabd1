internal import EmulatorBase

extension FaultList {
    /// The active faults that concern requests to a provider; nil stands for any of them. A line
    /// each.
    package func lines(ofProvider name: String?) -> [String] {
        active.filter { entry in
            guard entry.rule.match.service == .provider else { return false }
            guard let name, let pattern = entry.rule.match.pattern(.provider) else { return true }
            return Wildcard.matches(pattern, name)
        }.map(\.rule.text)
    }
}
