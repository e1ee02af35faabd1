internal import Synchronization
internal import Time

/// The active faults of one issuer.
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

    private let on = Mutex<[Switch]>([])

    var all: [Switch] { on.withLock { $0 } }

    /// Activating an active fault replaces it.
    func set(_ new: Switch) {
        on.withLock { on in
            on.removeAll { $0.name == new.name }
            on.append(new)
        }
    }

    /// nil deactivates all.
    func clear(_ name: Name? = nil) {
        on.withLock { on in on.removeAll { name == nil || $0.name == name } }
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

    private func take(_ name: Name) -> Switch? {
        on.withLock { on in
            guard let index = on.firstIndex(where: { $0.name == name }) else { return nil }
            let taken = on[index]
            if let count = taken.count {
                on[index].count = count - 1
                if count <= 1 { on.remove(at: index) }
            }
            return taken
        }
    }
}
