internal import Bytes
internal import JSON
internal import Time

/// The members of a log line that CloudWatch turns into metrics (embedded metric format), and the
/// members that are their dimensions.
package struct EmbeddedMetrics: Sendable {
    package enum Unit: String, Sendable {
        case count = "Count"
        case milliseconds = "Milliseconds"
        case microseconds = "Microseconds"
    }

    let dimensions: [[StaticString]]
    let metrics: [(name: StaticString, unit: Unit)]

    /// - Parameter dimensions: sets of members with text values; an empty set aggregates all lines.
    package init(by dimensions: [[StaticString]], _ metrics: [(name: StaticString, unit: Unit)]) {
        self.dimensions = dimensions
        self.metrics = metrics
    }

    /// The member `_aws` of a line.
    static func member(
        _ all: [EmbeddedMetrics], namespace: String, at time: Instant
    ) -> JSON {
        let directives = all.map { metrics -> JSON in
            [
                "Namespace": .string(namespace),
                "Dimensions": .array(
                    metrics.dimensions.map { .array($0.map { .string($0.description) }) }),
                "Metrics": .array(
                    metrics.metrics.map {
                        ["Name": .string($0.name.description), "Unit": .string($0.unit.rawValue)]
                    }),
            ]
        }
        return [
            "Timestamp": .number(time.milliseconds), "CloudWatchMetrics": .array(directives),
        ]
    }

    private static let namespaceBytesMax = 255

    /// Whether CloudWatch accepts the text as a custom namespace (PutMetricData).
    static func isNamespace(_ text: String) -> Bool {
        (1...namespaceBytesMax).contains(text.utf8.count) && !text.hasPrefix("AWS/")
            && !text.hasPrefix(":")
            && text.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || ".-_/#:".utf8.contains(byte)
            }
    }
}
