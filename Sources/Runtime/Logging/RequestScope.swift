internal import Glibc

/// The values that all log lines of one request share, including lines of the work after the reply.
/// A host begins and ends it; one thread does everything in between.
package final class RequestScope {
    /// The ID that the gateway gave the request, if there is a gateway.
    package var requestID: String?
    package private(set) var trace: TraceContext?
    /// Events that were logged already and are not logged again.
    private var logged: Set<String> = []
    private var storeMicroseconds: [Int] = []
    private var isBegun = false

    private static let loggedMax = 32
    /// A metric in a log line has at most 100 values.
    private static let storeCallsMax = 100

    private init() {}

    /// The scope of this thread; empty if no request has begun.
    package static var current: RequestScope {
        if let known = pthread_getspecific(key) {
            return Unmanaged<RequestScope>.fromOpaque(known).takeUnretainedValue()
        }
        let scope = RequestScope()
        pthread_setspecific(key, Unmanaged.passRetained(scope).toOpaque())
        return scope
    }

    /// Balances `passRetained` at the end of a thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { scope in
            if let scope { Unmanaged<RequestScope>.fromOpaque(scope).release() }
        }
        return key
    }()

    func begin(_ requestID: String?, _ trace: TraceContext? = nil) {
        end()
        self.requestID = requestID
        self.trace = trace
        isBegun = true
    }

    func end() {
        requestID = nil
        trace = nil
        logged.removeAll(keepingCapacity: true)
        storeMicroseconds.removeAll(keepingCapacity: true)
        isBegun = false
    }

    package func addStoreCall(microseconds: Int) {
        guard storeMicroseconds.count < Self.storeCallsMax else { return }
        storeMicroseconds.append(microseconds)
    }

    /// The durations of the store calls since the last call of this method.
    package func takeStoreMicroseconds() -> [Int] {
        defer { storeMicroseconds.removeAll(keepingCapacity: true) }
        return storeMicroseconds
    }

    /// Whether to log this event: true once for each request.
    package func isNew(_ text: String) -> Bool {
        guard isBegun, logged.count < Self.loggedMax else { return true }
        return logged.insert(text).inserted
    }
}
