package import AuthDomain
internal import AuthRecords
package import KeyValueStore
internal import Time

/// The first store call of an operation, which counts its rate limits and reads the items that it
/// needs.
///
/// The limits are not enforced here, because some operations must act before they refuse: a reused
/// refresh token revokes its session whatever the counters.
package struct Opening: Sendable {
    package let items: ReadItems
    /// Set if a page was requested.
    package let page: Page?
    private var exceeded: AuthError?
    /// Why a credential of limited use is refused.
    private let misuse: AuthError?
    /// The limit of the mail budget that is exceeded.
    package private(set) var withheldBy: MailBudget.Limit?
    /// The sum of the additional counter (`tallying`); nil without one.
    let tally: Int64?
    fileprivate let counted: [CounterIncrement]

    fileprivate init(
        _ read: StoreRead, exceeded: AuthError? = nil, misuse: AuthError? = nil,
        withheldBy: MailBudget.Limit? = nil, tally: Int64? = nil,
        counted: [CounterIncrement] = []
    ) {
        self.misuse = misuse
        self.tally = tally
        self.counted = counted
        items = read.items
        page = read.page
        self.exceeded = exceeded
        self.withheldBy = withheldBy
    }

    /// Throws if a limit is exceeded.
    package func admit() throws(AuthError) { if let exceeded { throw exceeded } }

    /// Throws if a credential was used more often than it may be.
    func admitUses() throws(AuthError) { if let misuse { throw misuse } }

    /// Combines this opening with an earlier one: the limits of both are enforced.
    package func after(_ first: Opening) -> Opening {
        var both = self
        both.exceeded = first.exceeded ?? exceeded
        both.withheldBy = first.withheldBy ?? withheldBy
        return both
    }
}

extension AuthServices {
    /// - Parameter subjects: the subjects to count. A subject without an identifier (such as an
    ///   address that the platform does not provide) is not counted.
    ///   - key: the caller's key; its proof is valid once.
    ///   - use: another credential of limited use. It counts as used for every outcome.
    ///   - mail: how the request counts towards the mail budget.
    ///   - counter: another counter, which the caller judges.
    package func open(
        _ operation: AuthOperation, counting subjects: [(RateLimit.Subject, String?)],
        reading keys: [ItemKey] = [], listing query: PartitionQuery? = nil,
        provenBy key: ProvenKey? = nil, using use: LimitedUse? = nil,
        mailing mail: BudgetedMail? = nil, tallying counter: CounterIncrement? = nil
    ) throws(AuthError) -> Opening {
        let opening = try openUnjudged(
            operation, counting: subjects, reading: keys, listing: query, provenBy: key,
            using: use, mailing: mail, tallying: counter)
        try opening.admitUses()
        return opening
    }

    /// `open` without `admitUses`, for an operation that judges something else first.
    func openUnjudged(
        _ operation: AuthOperation, counting subjects: [(RateLimit.Subject, String?)],
        reading keys: [ItemKey] = [], listing query: PartitionQuery? = nil,
        provenBy key: ProvenKey? = nil, using use: LimitedUse? = nil,
        mailing mail: BudgetedMail? = nil, tallying counter: CounterIncrement? = nil
    ) throws(AuthError) -> Opening {
        let uses = [key?.use, use].compactMap(\.self)
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
        let budgeted = mail.flatMap { policy.mailBudget?.counters($0, at: now) } ?? []
        let increments =
            counted.map(\.increment) + budgeted.map(\.increment) + uses.map(\.counter)
            + [counter].compactMap(\.self)
        if increments.isEmpty, keys.isEmpty, query == nil {
            return Opening(StoreRead(items: ReadItems([], []), sums: [], page: nil))
        }
        let read = try store.read(keys, counting: increments, listing: query)
        let mailed = read.sums.dropFirst(counted.count)
        let misused = zip(uses, mailed.dropFirst(budgeted.count)).first { $1 > $0.usesMax }
        var wait: Int64?
        for (entry, sum) in zip(counted, read.sums) where sum > entry.window.limit.requestsMax {
            wait = max(wait ?? 0, entry.window.retryAfterSeconds(at: now))
        }
        return Opening(
            read, exceeded: wait.map { .rateLimited(retryAfterSeconds: $0) },
            misuse: misused?.0.refused,
            withheldBy: zip(budgeted, mailed).first { $0.mailsMax < $1 }?.0.limit,
            tally: counter.flatMap { _ in read.sums.last }, counted: counted.map(\.increment))
    }

    /// Takes back counts of limits that are only for failures.
    func uncount(_ opening: Opening) throws(AuthError) {
        guard !opening.counted.isEmpty else { return }
        let back = opening.counted.map {
            CounterIncrement($0.key, by: -$0.amount, expiresAt: $0.expiresAt)
        }
        _ = try store.read([], counting: back)
    }
}
