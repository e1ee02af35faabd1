internal import Bytes
internal import HTTPServer
internal import Time

/// The environment variables of a function that listens.
struct ServerSettings {
    private(set) var workers = 16
    private(set) var limits = ServerLimits()
    /// nil if another process does the housekeeping.
    private(set) var housekeepingInterval: Span? = .seconds(60)
    /// The address of the metrics, which is not the function's own address.
    private(set) var metricsAddress: ListenAddress?

    init(_ environment: Environment) throws(StartFailure) {
        var problems: [String] = []
        func read(_ name: String, _ range: ClosedRange<Int>, _ set: (Int) -> Void) {
            guard let text = environment[name] else { return }
            guard text.utf8.allSatisfy(\.isDigit), let value = Int(text),
                range.contains(value)
            else {
                problems.append(
                    "\(name) must be a whole number from \(range.lowerBound) to "
                        + "\(range.upperBound)")
                return
            }
            set(value)
        }
        read("SERVER_WORKERS", 1...256) { workers = $0 }
        read("SERVER_CONNECTIONS_MAX", 1...65_536) { limits.connectionsMax = $0 }
        read("SERVER_IDLE_SECONDS", 1...3_600) { limits.idleTime = $0 * 1000 }
        read("SERVER_HEAD_SECONDS", 1...300) { limits.headTime = $0 * 1000 }
        read("SERVER_BODY_SECONDS", 1...300) { limits.bodyTime = $0 * 1000 }
        read("SERVER_QUEUE_SECONDS", 1...300) { limits.queueTime = $0 * 1000 }
        read("SERVER_DRAIN_SECONDS", 0...3_600) { limits.drainTime = $0 * 1000 }
        read("SERVER_STOP_SECONDS", 0...3_600) { limits.stopTime = $0 * 1000 }
        read("SERVER_HOUSEKEEPING_SECONDS", 0...3_600) {
            housekeepingInterval = $0 == 0 ? nil : .seconds(Int64($0))
        }
        if let text = environment["METRICS_LISTEN"] {
            metricsAddress = ListenAddress(text)
            if metricsAddress == nil {
                problems.append("METRICS_LISTEN must be an address such as 127.0.0.1:9464")
            }
        }
        guard problems.isEmpty else { throw StartFailure(problems: problems) }
    }
}
