package import AuthDomain
internal import AuthRecords
package import KeyValueStore
internal import Time

/// An operation opens once: one call that counts its rate limits and reads what it decides by.
///
/// The limit is not enforced here, because some operations must judge before they refuse: a reused
/// refresh token revokes its session whatever the counters say.
package struct Opening: Sendable {
    /// In the order asked.
    package let items: [Item?]
    /// Present when one was asked for.
    package let page: Page?
    private var exceeded: AuthError?

    fileprivate init(_ read: CountedRead, exceeded: AuthError?) {
        items = read.items
        page = read.page
        self.exceeded = exceeded
    }

    /// Throws when a limit is exceeded.
    package func admit() throws(AuthError) { if let exceeded { throw exceeded } }

    /// The second of two parts, which admits what both do.
    package func after(_ first: Opening) -> Opening {
        var both = self
        both.exceeded = first.exceeded ?? exceeded
        return both
    }
}

extension AuthServices {
    /// - Parameter subjects: who is counted; without an identifier (an address that the platform
    ///   does not tell) nothing is.
    package func open(
        _ operation: AuthOperation, counting subjects: [(RateLimit.Subject, String?)],
        reading keys: [ItemKey] = [], listing query: PartitionQuery? = nil
    ) throws(AuthError) -> Opening {
        assert(
            subjects.allSatisfy { operation.counted.contains($0.0) },
            "\(operation.name) does not declare what it counts")
        let now = clock.now()
        var counted: [(window: RateLimitWindow, increment: CounterIncrement)] = []
        for (subject, identifier) in subjects {
            guard let identifier else { continue }
            for limit in policy.limits
            where limit.operation == operation && limit.subject == subject {
                let window = RateLimitWindow(limit, at: now)
                let key = StoreLayout.rate(
                    limit.name, window.counted(identifier), window: window.number)
                counted.append(
                    (window, CounterIncrement(key, expiresAt: window.endsAt + .minutes(1))))
            }
        }
        if counted.isEmpty, keys.isEmpty, query == nil {
            return Opening(CountedRead(items: [], sums: []), exceeded: nil)
        }
        let increments = counted.map(\.increment)
        let read = try stored { () throws(StoreFailure) in
            try store.read(keys, counting: increments, listing: query)
        }
        var wait: Int64?
        for (entry, sum) in zip(counted, read.sums) where sum > entry.window.limit.requestsMax {
            wait = max(wait ?? 0, entry.window.retryAfterSeconds(at: now))
        }
        return Opening(read, exceeded: wait.map { .rateLimited(retryAfterSeconds: $0) })
    }
}
