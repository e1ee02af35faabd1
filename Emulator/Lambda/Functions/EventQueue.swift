internal import Synchronization

/// Asynchronous invocations: run later, with retries on failure.
final class EventQueue: Sendable {
    private let service: FunctionService
    private let queued = Atomic<Int>(0)

    private static let queuedMax = 10_000
    /// Throttling does not count as an attempt.
    private static let throttlePauseMilliseconds = 1000
    private static let throttlesMax = 600

    init(_ service: FunctionService) { self.service = service }

    /// Returns false if the queue is full.
    func add(_ name: String, _ request: InvocationRequest) -> Bool {
        guard queued.add(1, ordering: .relaxed).newValue <= Self.queuedMax else {
            queued.subtract(1, ordering: .relaxed)
            return false
        }
        attempt(name, request, failures: 0, throttles: 0)
        return true
    }

    private func attempt(
        _ name: String, _ request: InvocationRequest, failures: Int, throttles: Int
    ) {
        service.invoke(name, request) { [self] result in
            switch result.outcome {
            case .answered, .unknownFunction: leave()
            case .failed:
                let pauses = service.settings.retryMilliseconds
                guard failures < pauses.count else { return leave() }
                again(pauses[failures]) { queue in
                    queue.attempt(name, request, failures: failures + 1, throttles: 0)
                }
            case .throttled:
                guard throttles < Self.throttlesMax else { return leave() }
                again(Self.throttlePauseMilliseconds) { queue in
                    queue.attempt(name, request, failures: failures, throttles: throttles + 1)
                }
            }
        }
    }

    private func again(
        _ milliseconds: Int, _ action: @escaping @Sendable (EventQueue) -> Void
    ) {
        service.timer { [weak self] in
            if let self { action(self) }
        }.schedule(afterMilliseconds: milliseconds)
    }

    private func leave() { queued.subtract(1, ordering: .relaxed) }
}
