internal import Synchronization

/// Calls a completion handler for the first of several results only.
final class OneShotCompletion<Value: Sendable>: Sendable {
    private let completion: Mutex<(@Sendable (Value) -> Void)?>

    init(_ completion: @escaping @Sendable (Value) -> Void) {
        self.completion = Mutex(completion)
    }

    func callAsFunction(_ value: Value) {
        let first = completion.withLock { stored in
            defer { stored = nil }
            return stored
        }
        first?(value)
    }
}
