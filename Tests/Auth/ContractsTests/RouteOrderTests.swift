import AuthDomain

/// `latchkey` searches all endpoints of a contract at once.
@Suite("Routes of a whole contract") struct RouteOrderTests {
    @Test(arguments: Contract.all.map(\.name))
    func `no route is hidden by one before it`(name: String) throws {
        let contract = try #require(Contract.named(name))
        for endpoint in contract.endpoints {
            guard let route = endpoint.route else { continue }
            let first = contract.endpoints.first { other in
                other.route.map { $0.method == route.method && $0.match(route.path) != nil }
                    ?? false
            }
            expectEqual(first?.route, route, "\(route)")
            expectEqual(first?.operation, endpoint.operation, "\(route)")
        }
    }

    /// An executable without pages accepts limits of them too.
    @Test(arguments: Contract.all.map(\.name))
    func `rate limits of page operations are accepted without pages`(name: String) throws {
        let contract = try #require(Contract.named(name))
        let others = contract.endpoints.filter { !$0.isPage }.map(\.operation)
        let counted = contract.endpoints.filter(\.isPage).map(\.operation).filter {
            !$0.counted.isEmpty && !others.contains($0)
        }
        expectEqual(counted, contract.pages?.countedOperations ?? [])
    }
}
