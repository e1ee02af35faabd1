package import AuthDomain
package import KeyValueStore
package import Time

/// The length of time for which sign-ins and refusals are counted.
package enum ActivityWindow: String, CaseIterable, Sendable {
    case hour = "HOURS"
    case day = "DAYS"

    package var length: Span { self == .hour ? .hours(1) : .days(1) }

    /// How many windows are kept for the charts.
    package var shown: Int64 { self == .hour ? 24 : 30 }

    package func number(at instant: Instant) -> Int64 { instant.seconds / length.seconds }

    package var partition: String { "ACTIVITY#\(rawValue)" }
}

/// The counts of one server in one window. Each process has its own rows, so that no two processes
/// write the same row.
package struct ActivityRecord: Equatable, Sendable {
    package let window: ActivityWindow
    package let number: Int64
    package let process: String
    package let counts: ActivityCounts

    package init(
        _ window: ActivityWindow, _ number: Int64, of process: String, _ counts: ActivityCounts
    ) {
        self.window = window
        self.number = number
        self.process = process
        self.counts = counts
    }

    package var item: Item {
        Item(
            StoreLayout.activity(window, number, of: process),
            [
                "signIns": .integer(counts.signIns), "refusals": .integer(counts.refusals),
                "number": .integer(number),
            ],
            expiresAt: Instant(seconds: (number + window.shown + 1) * window.length.seconds))
    }

    /// - Returns: the number of the window, and its counts.
    package static func counts(_ item: Item) throws(StoreFailure) -> (Int64, ActivityCounts) {
        let read = AttributeReader(item)
        return (
            try read.integer("number"),
            ActivityCounts(
                signIns: try read.integer("signIns"), refusals: try read.integer("refusals"))
        )
    }
}
