package import HTTP
package import JOSE
package import KeyValueStore
package import Time

/// A cache of the providers' public keys, shared through the store by short-lived processes.
///
/// Two rows per source: the set, and a lease that allows one process at a time to fetch it.
///
/// - A set is fresh for an hour, or for the provider's `max-age` limited to 5...60 minutes, and can
///   be used for 24 hours more while the provider is unreachable.
/// - A process that finds the lease taken uses the stale set; without one it waits for the holder,
///   and after `waitsMax` pauses it fetches itself.
/// - After a failed refresh the lease is kept for a minute if an older set is usable; otherwise the
///   next caller retries at once. A failure never replaces a set.
/// - A set without a usable key is a failure, and cached for ten seconds: the provider is
///   reachable, so an immediate retry by every sign-in would only get the same answer.
/// - An unknown kid causes another fetch, unless there was one within a minute, and is then refused
///   without a fetch for five minutes: kids are untrusted and must not determine how often we call
///   Apple. So there are at most five such rows per source.
package struct KeySetCache: Sendable {
    private let store: any KeyValueStore
    private let fetch: KeySetFetch
    private let clock: WallClock
    private let sleep: @Sendable (Span) -> Void
    private let report: Report
    private let memory = KeySetMemory()

    /// The lease is longer than the two requests of a fetch can take.
    static let leaseSpan = Span.seconds(15)
    static let refetchPause = Span.minutes(1)
    static let refusalSpan = Span.minutes(5)
    static let emptySetPause = Span.seconds(10)
    static let waitsMax = 20
    static let waitSpan = Span.milliseconds(150)

    /// Called once for each failure, with the provider's configured name and the URL that failed,
    /// even if an older set is used and the sign-in succeeds.
    package typealias Report =
        @Sendable (
            _ provider: String, _ url: String, _ failure: KeyFetchFailure
        ) -> Void

    package init(
        store: any KeyValueStore, transport: HTTPTransport, clock: WallClock,
        sleep: @escaping @Sendable (Span) -> Void, report: @escaping Report = { _, _, _ in }
    ) {
        self.store = store
        self.fetch = KeySetFetch(transport: transport)
        self.clock = clock
        self.sleep = sleep
        self.report = report
    }

    /// A key set of the provider that contains `kid`.
    package func keys(
        of provider: ProviderConfiguration, holding kid: String
    ) throws(IdentityFailure) -> KeySet {
        let url: String
        switch provider.keySource {
        case .pinned(let keys):
            guard keys.key(kid) != nil else { throw .unknownKeyID }
            return keys
        case .keys(let known), .discovery(let known): url = known
        }
        let rows = KeySetRows(provider: provider, url: url)
        if let known = memory[rows], known.isFresh(at: clock.now()), known.holds(kid) {
            return known.keys
        }
        do {
            return try shared(Request(provider: provider, rows: rows, url: url, kid: kid))
        } catch {
            switch error {
            case .unknownKid: throw .unknownKeyID
            case .unavailable(let reason):
                // The key was in the last set: use the stale set instead of failing.
                guard let known = memory[rows], known.isUsable(at: clock.now()), known.holds(kid)
                else { throw .keysUnavailable(reason) }
                return known.keys
            }
        }
    }

    struct Request {
        let provider: ProviderConfiguration
        let rows: KeySetRows
        /// The URL of the configured key source.
        let url: String
        let kid: String
    }

    enum Failure: Error, Equatable {
        case unknownKid
        case unavailable(KeyFetchFailure)
    }

    private func unavailable(
        _ reason: KeyFetchFailure, _ request: Request, at url: String? = nil
    ) -> Failure {
        report(request.provider.name, url ?? request.url, reason)
        return .unavailable(reason)
    }
}

extension KeySetCache {
    /// 1. The stored set. 2. Refresh it if missing or stale. 3. Fetch it again if it lacks the kid.
    private func shared(_ request: Request) throws(Failure) -> KeySet {
        var rows = try read(request)
        if rows.record?.isFresh(at: clock.now()) != true {
            rows.record = try refreshed(request, rows)
        }
        guard let record = rows.record else { throw unavailable(.fetchInProgress, request) }
        memory[request.rows] = record
        if record.holds(request.kid) { return record.keys }
        guard !rows.isRefused else { throw .unknownKid }
        let newer = try refetched(request, rows)
        memory[request.rows] = newer
        guard newer.holds(request.kid) else { throw .unknownKid }
        return newer.keys
    }

    private func refreshed(_ request: Request, _ first: Rows) throws(Failure) -> KeySetRecord {
        var rows = first
        for _ in 0..<Self.waitsMax {
            if rows.lease == nil, try take(request) {
                return try refreshedAsHolder(request, stale: rows.record)
            }
            if let stale = rows.record { return stale }
            if rows.lease == .failed { throw unavailable(.recentlyFailed, request) }
            sleep(Self.waitSpan)
            rows = try read(request)
            if let record = rows.record, record.isFresh(at: clock.now()) { return record }
        }
        return try refreshedAsHolder(request, stale: rows.record)
    }

    private func refreshedAsHolder(
        _ request: Request, stale: KeySetRecord?
    ) throws(Failure) -> KeySetRecord {
        var url = request.url
        do {
            let record = try fetch(request.provider, now: clock.now(), asking: &url)
            keep(record, request)
            return record
        } catch {
            let failure = unavailable(error, request, at: url)
            guard let stale else {
                if error == .noUsableKey {
                    markFailed(request, for: Self.emptySetPause)
                } else {
                    release(request)
                }
                throw failure
            }
            markFailed(request, for: Self.refetchPause)
            return stale
        }
    }

    /// Fetches again because the set lacks the kid: at most once per `refetchPause`, by one
    /// process.
    private func refetched(
        _ request: Request, _ first: Rows
    ) throws(Failure) -> KeySetRecord {
        var rows = first
        for _ in 0..<Self.waitsMax {
            guard let record = rows.record else { break }
            if record.holds(request.kid) { return record }
            // The set was just fetched, by this or another process, so the kid is unknown.
            if clock.now() < record.fetchedAt + Self.refetchPause { throw .unknownKid }
            switch rows.lease {
            case nil: if try take(request) { return try refetchedAsHolder(request) }
            case .failed?: throw unavailable(.recentlyFailed, request)
            case .held?: break
            }
            sleep(Self.waitSpan)
            rows = try read(request)
        }
        throw unavailable(.fetchInProgress, request)
    }

    private func refetchedAsHolder(_ request: Request) throws(Failure) -> KeySetRecord {
        var url = request.url
        do {
            let record = try fetch(request.provider, now: clock.now(), asking: &url)
            keep(record, request)
            if !record.holds(request.kid) { refuse(request) }
            return record
        } catch {
            markFailed(request, for: Self.refetchPause)
            throw unavailable(error, request, at: url)
        }
    }
}

extension KeySetCache {
    enum Lease: Equatable { case held, failed }

    private struct Rows {
        var record: KeySetRecord?
        let lease: Lease?
        let isRefused: Bool
    }

    private static let failedName = "failed"

    private func read(_ request: Request) throws(Failure) -> Rows {
        let keys = [request.rows.set, request.rows.lease, request.rows.refused(request.kid)]
        let items: [Item?]
        do {
            items = try store.get(keys)
        } catch {
            throw unavailable(.storeUnavailable, request)
        }
        let now = clock.now()
        let record = items[0].flatMap {
            KeySetRecord($0, algorithms: request.provider.algorithms)
        }
        let lease: Lease? = items[1].map {
            $0.attributes[Self.failedName] == .flag(true) ? .failed : .held
        }
        return Rows(
            record: record?.isUsable(at: now) == true ? record : nil, lease: lease,
            isRefused: items[2] != nil)
    }

    private func take(_ request: Request) throws(Failure) -> Bool {
        let lease = Item(
            request.rows.lease, [Self.failedName: .flag(false)],
            expiresAt: clock.now() + Self.leaseSpan)
        do {
            try store.write([.put(lease, when: [.absent])])
            return true
        } catch {
            switch error {
            case .conditionFailed: return false
            case .unavailable, .refused, .unreadable: throw unavailable(.storeUnavailable, request)
            }
        }
    }

    // The following only helps later processes. If the store fails, this request still has its
    // keys, and an abandoned lease expires.

    private func keep(_ record: KeySetRecord, _ request: Request) {
        try? store.write([
            .put(record.item(request.rows.set), when: []), .delete(request.rows.lease, when: []),
        ])
    }

    private func release(_ request: Request) {
        try? store.write([.delete(request.rows.lease, when: [])])
    }

    private func markFailed(_ request: Request, for span: Span) {
        let pause = Item(
            request.rows.lease, [Self.failedName: .flag(true)], expiresAt: clock.now() + span)
        try? store.write([.put(pause, when: [])])
    }

    private func refuse(_ request: Request) {
        let refusal = Item(
            request.rows.refused(request.kid), [:], expiresAt: clock.now() + Self.refusalSpan)
        try? store.write([.put(refusal, when: [])])
    }
}
