internal import Contracts
internal import FunctionRuntime

extension Router.Outcome {
    /// Adds to a log line what CloudWatch makes metrics of; docs/operating.md lists them.
    ///
    /// Each combination of a metric and the values of its dimensions is billed, so there are few
    /// dimensions, and their values are names of our own.
    func embed(
        into values: inout [(StaticString, LogValue)], store: String, _ storeMicroseconds: [Int]
    ) -> [EmbeddedMetrics] {
        var metrics: [EmbeddedMetrics] = []
        func count(_ name: StaticString, by dimensions: [[StaticString]]) {
            values.append((name, .count(1)))
            metrics.append(EmbeddedMetrics(by: dimensions, [(name, .count)]))
        }
        if routedOperation != nil {
            metrics.append(
                EmbeddedMetrics(by: [["operation"]], [("milliseconds", .milliseconds)]))
        }
        if !storeMicroseconds.isEmpty {
            values.append(("store", .identifier(store)))
            values.append(("storeMicroseconds", .counts(storeMicroseconds)))
            metrics.append(
                EmbeddedMetrics(by: [["store"]], [("storeMicroseconds", .microseconds)]))
        }
        if let method = signInMethod {
            values.append(("method", .identifier(method)))
            count("signIns", by: [["method"]])
        }
        if failure != nil {
            // Also without a dimension: an alarm on the sum needs it.
            count(answer.status >= 500 ? "failures" : "refusals", by: [[], ["reason"]])
        }
        if reusedToken != nil { count("reuseDetections", by: [[]]) }
        if isRateLimited { count("rateLimited", by: [[]]) }
        return metrics
    }
}
