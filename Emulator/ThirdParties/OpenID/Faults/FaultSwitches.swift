internal import EmulatorDebugging
internal import Time

/// The active faults of one issuer that the issuer itself applies, as a part of the emulator's
/// fault list.
final class FaultSwitches: Sendable {
    enum Name: Sendable, Equatable {
        /// Applies to ID tokens of the token endpoint and of redirects. Minted tokens name their
        /// faults in the request.
        case token(TokenFault)
        case endpoint(EndpointFault)

        init?(_ text: String) {
            if let fault = EndpointFault(name: text) {
                self = .endpoint(fault)
            } else if let fault = TokenFault(name: text) {
                self = .token(fault)
            } else {
                return nil
            }
        }

        var text: String {
            switch self {
            case .token(let fault): fault.rawValue
            case .endpoint(let fault): fault.rawValue
            }
        }
    }

    struct Switch: Sendable {
        let name: Name
        /// The number of remaining requests; nil means no limit.
        var count: Int?
        let delay: Span?
    }

    private let list: FaultList
    private let provider: String

    init(_ list: FaultList, provider: String) {
        self.list = list
        self.provider = provider
    }

    var all: [Switch] {
        list.named(.provider, of: provider).compactMap { name, entry in
            Name(name).map { Switch(name: $0, count: entry.left, delay: entry.delay) }
        }
    }

    /// Activating an active fault replaces it. False if the list is full.
    func set(_ new: Switch) -> Bool {
        clear(new.name)
        let rule = FaultRule(
            FaultMatch(.provider, [(field: .provider, pattern: provider)]), .error(new.name.text),
            milliseconds: new.delay.map { Int($0.milliseconds) }, count: new.count)
        return list.add(rule) != nil
    }

    /// nil deactivates all. Faults that match several issuers are kept.
    func clear(_ name: Name? = nil) {
        list.remove { [provider] entry in
            guard case .error(let text) = entry.rule.effect, let known = Name(text) else {
                return false
            }
            return entry.rule.match.concernsOnly(provider: provider)
                && (name == nil || name == known)
        }
    }

    /// Returns the fault if it is active, and counts the request.
    func take(_ fault: EndpointFault) -> Switch? { take(.endpoint(fault)) }

    /// The active faults for one ID token.
    func takeTokenFaults() -> [TokenFault] {
        all.compactMap { one in
            guard case .token(let fault) = one.name, take(one.name) != nil else { return nil }
            return fault
        }
    }

    func isOn(_ fault: EndpointFault) -> Bool { all.contains { $0.name == .endpoint(fault) } }

    /// Whether any fault is active for requests to providers.
    var isAnyOn: Bool {
        list.isOn && list.active.contains { $0.rule.match.service == .provider }
    }

    private func take(_ name: Name) -> Switch? {
        list.take(name.text, .provider, of: provider).map {
            Switch(name: name, count: $0.left, delay: $0.delay)
        }
    }
}

extension FaultList.Entry {
    fileprivate var delay: Span? { rule.milliseconds.map { .milliseconds(Int64($0)) } }
}

extension IdentityService {
    /// The faults that an issuer applies itself, with a description.
    package static var faultNames: [(name: String, sentence: String)] {
        // Key rotations are not listed: the issuer's own endpoint performs them at once.
        EndpointFault.allCases.filter { ![.rotatedOldKept, .rotatedOldDropped].contains($0) }
            .map { ($0.rawValue, $0.sentence) }
            + TokenFault.allCases.map { ($0.rawValue, $0.sentence) }
    }
}
