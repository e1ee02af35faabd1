internal import Contracts
internal import FunctionRuntime

extension Router.Outcome {
    /// Adds the values from which CloudWatch creates metrics to a log line; docs/operating.md lists
    /// them.
    ///
    /// Each combination of a metric and the values of its dimensions is billed, so there are few
    /// dimensions, with values from fixed sets.
    func embed(
        into values: inout [(StaticString, LogValue)], store: String, _ storeMicroseconds: [Int]
    ) -> [EmbeddedMetrics] {
        var metrics: [EmbeddedMetrics] = []
        func count(_ name: StaticString, by dimensions: [[StaticString]]) {
            values.append((name, .count(1)))
            metrics.append(EmbeddedMetrics(by: dimensions, [(name, .count)]))
        }
        // The empty list of dimensions counts all requests together.
        metrics.append(
            EmbeddedMetrics(
                by: routedOperation == nil ? [[]] : [[], ["operation"]],
                [("milliseconds", .milliseconds)]))
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
            // The empty list of dimensions gives the sum, for alarms.
            count(answer.status >= 500 ? "failures" : "refusals", by: [[], ["reason"]])
        }
        if reusedToken != nil { count("reuseDetections", by: [[]]) }
        if isRateLimited { count("rateLimited", by: [[]]) }
        return metrics
    }
}
