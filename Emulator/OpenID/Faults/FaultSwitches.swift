internal import Synchronization
internal import Time

/// The faults of one issuer that are on.
final class FaultSwitches: Sendable {
    enum Name: Sendable, Equatable {
        /// In the ID tokens of the token endpoint and of redirects. Minted tokens say their own.
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
        /// How many requests it has left; nil for all.
        var count: Int?
        let delay: Span?
    }

    private let on = Mutex<[Switch]>([])

    var all: [Switch] { on.withLock { $0 } }

    /// A fault that is on already starts anew.
    func set(_ new: Switch) {
        on.withLock { on in
            on.removeAll { $0.name == new.name }
            on.append(new)
        }
    }

    /// nil for all.
    func clear(_ name: Name? = nil) {
        on.withLock { on in on.removeAll { name == nil || $0.name == name } }
    }

    /// Whether it is on, and one request less from now on.
    func take(_ fault: EndpointFault) -> Switch? { take(.endpoint(fault)) }

    /// The faults of one ID token.
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
