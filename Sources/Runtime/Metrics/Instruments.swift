internal import Synchronization

/// A metric of this process in the model of OpenMetrics.
package protocol Instrument: Sendable {
    /// Adds the lines of the metric to a text of OpenMetrics.
    func write(to text: inout OpenMetricsText)
}

/// The time series of an instrument, one for each combination of label values. Values come from
/// closed sets in the code, never from a request; `countMax` is a safeguard.
private struct Series<Value: Sendable>: Sendable {
    private(set) var values: [[String]: Value] = [:]

    private static var countMax: Int { 256 }
    private static var rest: String { "other" }

    mutating func update(_ labels: [String], _ initial: Value, _ change: (inout Value) -> Void) {
        let isKnown = values[labels] != nil || values.count < Self.countMax
        let key = isKnown ? labels : labels.map { _ in Self.rest }
        change(&values[key, default: initial])
    }

    /// The values, in a stable order.
    var sorted: [(labels: [String], value: Value)] {
        values.map { ($0.key, $0.value) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }
}

/// Counts events.
package final class Counter: Instrument {
    private let name: StaticString
    private let help: StaticString
    private let labels: [StaticString]
    private let series: Mutex<Series<Int>>

    /// - Parameters:
    ///   - name: the name without `_total`.
    ///   - known: label values that begin with 0, so that their first event is an increase.
    package init(
        _ name: StaticString, _ help: StaticString, labels: [StaticString] = [],
        startingWith known: [[String]] = []
    ) {
        self.name = name
        self.help = help
        self.labels = labels
        var series = Series<Int>()
        for values in known { series.update(values, 0) { _ in } }
        self.series = Mutex(series)
    }

    /// - Parameter values: the values of the labels, in the same order.
    package func add(_ values: [String] = [], _ count: Int = 1) {
        series.withLock { $0.update(values, 0) { $0 += count } }
    }

    package func write(to text: inout OpenMetricsText) {
        text.begin(name, "counter", help)
        for (values, count) in series.withLock({ $0.sorted }) {
            text.sample(name, "_total", labels, values, "\(count)")
        }
    }
}

/// Counts durations by buckets.
package final class Histogram: Instrument {
    /// Upper bounds in seconds.
    package struct Bounds: Sendable {
        let seconds: [Double]

        /// These range from a call to an embedded store to the time limit of a call over the
        /// network.
        package static let store = Bounds(
            seconds: [
                0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                1, 2.5, 5,
            ])
        /// These range from an operation without a write to one that waits for a provider.
        package static let operation = Bounds(
            seconds: [
                0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
            ])
    }

    private struct Distribution: Sendable {
        /// The last element counts the values above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    private let name: StaticString
    private let help: StaticString
    private let labels: [StaticString]
    private let bounds: [Double]
    private let series = Mutex(Series<Distribution>())

    package init(
        _ name: StaticString, _ help: StaticString, _ bounds: Bounds, labels: [StaticString]
    ) {
        self.name = name
        self.help = help
        self.labels = labels
        self.bounds = bounds.seconds
    }

    package func observe(_ seconds: Double, _ values: [String]) {
        let index = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        let empty = Distribution(counts: Array(repeating: 0, count: bounds.count + 1))
        series.withLock { series in
            series.update(values, empty) { distribution in
                distribution.counts[index] += 1
                distribution.sum += seconds
            }
        }
    }

    package func write(to text: inout OpenMetricsText) {
        text.begin(name, "histogram", help, unit: "seconds")
        for (values, distribution) in series.withLock({ $0.sorted }) {
            var sum = 0
            for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], distribution.counts) {
                sum += count
                text.sample(name, "_bucket", labels + ["le"], values + [bound], "\(sum)")
            }
            text.sample(name, "_count", labels, values, "\(sum)")
            text.sample(name, "_sum", labels, values, "\(distribution.sum)")
        }
    }
}

/// A metric whose values are computed when it is read.
package struct Sampled: Instrument {
    package enum Kind: Sendable { case counter, gauge }

    package typealias Values = @Sendable () -> [(labels: [String], value: Int)]

    private let kind: Kind
    private let name: StaticString
    private let help: StaticString
    private let labels: [StaticString]
    private let values: Values

    package init(
        _ kind: Kind, _ name: StaticString, _ help: StaticString, labels: [StaticString] = [],
        values: @escaping Values
    ) {
        self.kind = kind
        self.name = name
        self.help = help
        self.labels = labels
        self.values = values
    }

    package func write(to text: inout OpenMetricsText) {
        text.begin(name, kind == .counter ? "counter" : "gauge", help)
        for (labelValues, value) in values() {
            text.sample(
                name, kind == .counter ? "_total" : "", labels, labelValues, "\(value)")
        }
    }
}
