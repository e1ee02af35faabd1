package import AuthDomain

/// One wire format of the system as a value: its endpoints, bodies, errors, lifetimes and limits.
///
/// Contracts do not depend on storage, and operations do not depend on contracts. To add one,
/// define such a value in a separate directory, with a `ContractEntry` (docs/adding.md).
package struct Contract: Sendable {
    package let name: String
    package let policy: Policy
    package var rules: RequestRules
    /// The single list of endpoints. Routing, the services that are built and the endpoints of each
    /// function follow from it.
    package let endpoints: [Endpoint]
    package let pages: ContractPages?
    /// A server's answer to a browser at a path that has no endpoint; nil for the contract's
    /// envelope.
    package var unrouted: Endpoint.ProblemPage?
    package let errors: ErrorFormat
    /// The contract's own names for settings, keyed by the standard names.
    package let settingNames: [String: String]
    /// Defaults of settings that the environment does not set.
    package let settingDefaults: [String: String]

    /// - Parameters:
    ///   - endpoints: the endpoints in groups. Several contracts share some of the groups.
    ///   - pages: the pages; nil in an executable without the module `AuthPages`.
    package init(
        name: String, policy: Policy, rules: RequestRules = RequestRules(),
        endpoints groups: [Endpoint]..., pages: ContractPages? = nil,
        errors: ErrorFormat, settingNames: [String: String] = [:],
        settingDefaults: [String: String] = [:]
    ) {
        self.name = name
        self.policy = policy
        self.rules = rules
        self.pages = pages
        let groups = groups + [pages.map(Self.endpoints) ?? []]
        // This runs at every start of a function, and a loop is faster than `joined`.
        var endpoints: [Endpoint] = []
        endpoints.reserveCapacity(groups.reduce(0) { $0 + $1.count })
        for group in groups { endpoints += group }
        self.endpoints = endpoints
        self.errors = errors
        self.settingNames = settingNames
        self.settingDefaults = settingDefaults
    }

    /// The operations that a rate limit can count. They are the same in every executable, so that
    /// all of them accept the same setting.
    package var countedOperations: [AuthOperation] {
        let operations = endpoints.map(\.operation)
        let further = policy.oauth == nil ? [] : OAuthEndpoints.countedWithin
        let others = ((pages?.countedOperations ?? []) + further)
            .filter { !operations.contains($0) }
        return (operations + others).filter { !$0.counted.isEmpty }
    }

    /// The endpoints that an executable serves under this contract.
    package func endpoints(of function: String) -> [Endpoint] {
        endpoints.filter { $0.operation.isServed(by: function) }
    }
}

/// The rules for every request of a contract, checked before routing.
package struct RequestRules: Equatable, Sendable {
    package var bodyBytesMax: Int
    /// Whether a request that a proxy received over plain HTTP is refused. The proxy's header
    /// `X-Forwarded-Proto` shows it; requests without that header are accepted. The setting `DEBUG`
    /// turns this rule off.
    package var requiresHTTPS: Bool
    /// The origins whose pages may send requests (`CrossOrigin`): the setting `ALLOWED_ORIGINS`.
    package var allowedOrigins: [String] = []
    /// The host names under which pages are served; nil if another program decides that, such as a
    /// gateway.
    package var pageHosts: PageHosts?

    package init(bodyBytesMax: Int = 64 << 10, requiresHTTPS: Bool = false) {
        self.bodyBytesMax = bodyBytesMax
        self.requiresHTTPS = requiresHTTPS
    }
}
