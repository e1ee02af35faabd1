package import AuthDomain

/// One wire format of the system: its endpoints, bodies, errors, lifetimes and limits, as a value.
///
/// A contract knows no storage and an operation knows no contract. To add one, write a folder with
/// such a value and name it in `Contract.all`.
package struct Contract: Sendable {
    package let name: String
    package let policy: Policy
    package var rules: RequestRules
    /// The one list of what is served; everything else (routing, what is built, what a function
    /// serves) follows from it.
    package let endpoints: [Endpoint]
    package let errors: ErrorFormat
    /// Settings that this contract calls by names of its own: ours to theirs.
    package let settingNames: [String: String]
    /// What our settings are, where the environment does not say otherwise.
    package let settingDefaults: [String: String]

    package init(
        name: String, policy: Policy, rules: RequestRules = RequestRules(), endpoints: [Endpoint],
        errors: ErrorFormat, settingNames: [String: String] = [:],
        settingDefaults: [String: String] = [:]
    ) {
        self.name = name
        self.policy = policy
        self.rules = rules
        self.endpoints = endpoints
        self.errors = errors
        self.settingNames = settingNames
        self.settingDefaults = settingDefaults
    }

    package static let all: [Contract] = [
        .latchkey, .whateat, .photolala, .livlogios, .newsApp, .shell,
    ]

    package static func named(_ name: String) -> Contract? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// What an executable serves under this contract.
    package func endpoints(of function: String) -> [Endpoint] {
        endpoints.filter { $0.operation.function.utf8.elementsEqual(function.utf8) }
    }
}

/// What holds for every request of a contract, before it is routed.
package struct RequestRules: Equatable, Sendable {
    package var bodyBytesMax: Int
    /// Whether a request that a proxy received over plain HTTP is refused. The proxy says so in
    /// `X-Forwarded-Proto`; without that header nothing is known, and nothing refused. The setting
    /// `DEBUG` turns it off.
    package var requiresHTTPS: Bool

    package init(bodyBytesMax: Int = 64 << 10, requiresHTTPS: Bool = false) {
        self.bodyBytesMax = bodyBytesMax
        self.requiresHTTPS = requiresHTTPS
    }
}
