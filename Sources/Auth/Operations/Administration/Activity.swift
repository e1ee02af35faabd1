package import AuthDomain
package import AuthRecords
internal import Bytes
package import Cryptography
internal import KeyValueStore
internal import Synchronization
package import Time

/// The counts that a server keeps in memory for its administrators: sign-ins and refusals by the
/// hour and day, and the latest refusals. Housekeeping writes the counts, so that no request pays
/// for them; a crash loses the counts since the last run.
package final class Activity: Sendable {
    /// A refused request. It contains no data of the client.
    package struct Refusal: Equatable, Sendable {
        package let at: Instant
        package let operation: String
        package let status: Int
        package let code: String
    }

    package static let refusalsMax = 50

    private struct Place: Hashable {
        let window: ActivityWindow
        let number: Int64
    }

    private struct State {
        var counts: [Place: ActivityCounts] = [:]
        var unwritten: Set<Place> = []
        /// The oldest first.
        var refusals: [Refusal] = []
    }

    private let state = Mutex(State())
    /// A part of the keys of this process's rows.
    private let process: String

    package init(random: RandomSource) { process = Hex.encode(random.bytes(8)) }

    func add(_ counts: ActivityCounts, at now: Instant) {
        state.withLock { state in
            for window in ActivityWindow.allCases {
                let place = Place(window: window, number: window.number(at: now))
                state.counts[place] = (state.counts[place] ?? ActivityCounts()) + counts
                state.unwritten.insert(place)
            }
        }
    }

    package func noteRefusal(operation: String, status: Int, code: String, at now: Instant) {
        add(ActivityCounts(refusals: 1), at: now)
        state.withLock { state in
            state.refusals.append(
                Refusal(at: now, operation: operation, status: status, code: code))
            if state.refusals.count > Self.refusalsMax { state.refusals.removeFirst() }
        }
    }

    /// The newest first.
    package var refusals: [Refusal] { state.withLock { $0.refusals.reversed() } }

    /// Rows that have changed since they were written. Earlier windows are forgotten: they do not
    /// change any more.
    fileprivate func takeUnwritten(at now: Instant) -> [ActivityRecord] {
        state.withLock { state in
            let records = state.unwritten.map { place in
                ActivityRecord(
                    place.window, place.number, of: process,
                    state.counts[place] ?? ActivityCounts())
            }
            state.unwritten = []
            state.counts = state.counts.filter { $0.key.number == $0.key.window.number(at: now) }
            return records
        }
    }
}

extension AuthServices {
    /// Writes the counts of this server; nothing if there are no new counts.
    func writeActivity() throws(AuthError) {
        guard let activity else { return }
        for record in activity.takeUnwritten(at: clock.now()) {
            try store.write([.put(record.item, when: [])])
        }
    }

    /// Counts of the last day by the hour, or of the last month by the day, the oldest first. nil
    /// if this process does not count.
    package func activity(
        by window: ActivityWindow
    ) throws(AuthError) -> [(from: Instant, counts: ActivityCounts)]? {
        guard activity != nil else { return nil }
        let now = window.number(at: clock.now())
        let first = now - window.shown + 1
        var found: [Int64: ActivityCounts] = [:]
        for item in try store.everyItem(
            of: PartitionQuery(window.partition, limit: StoreLimits.itemsPerPageMax))
        {
            let (number, counts) = try decoded(ActivityRecord.counts(item))
            found[number] = (found[number] ?? ActivityCounts()) + counts
        }
        return (first...now).map { number in
            (Instant(seconds: number * window.length.seconds), found[number] ?? ActivityCounts())
        }
    }
}
