/// Requests that take long, such as those that hash a password. They wait for their turn without a
/// thread, so that other requests are answered in the meantime.
package struct SlowRequests: Sendable {
    /// How many slow requests are answered at once.
    let atOnceMax: Int
    /// A request that is expected to wait for longer is refused as soon as it is complete.
    let waitMillisecondsMax: Int
    /// Returns the client of a request, because clients take turns; nil for a request that is not
    /// slow. No other request is read during the call.
    let client: @Sendable (ReceivedRequest) -> String?

    package init(
        atOnceMax: Int, waitMillisecondsMax: Int = 3_000,
        client: @escaping @Sendable (ReceivedRequest) -> String?
    ) {
        self.atOnceMax = max(1, atOnceMax)
        self.waitMillisecondsMax = waitMillisecondsMax
        self.client = client
    }

    static let none = SlowRequests(atOnceMax: 1) { _ in nil }
}

/// The slow requests of a server.
struct SlowLane {
    private let policy: SlowRequests
    private let waitingMax: Int
    private var queue = TurnQueue<Connection>()
    private var running = 0
    /// A moving average of how long a request takes. Before the first one, it is an estimate.
    private var answerMicroseconds = 50_000

    init(_ policy: SlowRequests, connectionsMax: Int) {
        self.policy = policy
        // The rest of the connections is kept for other requests.
        waitingMax = max(1, connectionsMax / 2)
    }

    /// Whether the request of the connection waits here. It does not if its turn would come too
    /// late.
    mutating func accepts(_ connection: Connection) -> Bool {
        guard let request = connection.request, let client = policy.client(request) else {
            return false
        }
        let turns = queue.turnsBefore(next: client)
        let milliseconds = turns * answerMicroseconds / policy.atOnceMax / 1_000
        if milliseconds > policy.waitMillisecondsMax || queue.count >= waitingMax {
            connection.request?.refusedForSeconds = max(1, (milliseconds + 999) / 1_000)
            return false
        }
        connection.slowClient = client
        queue.append(connection, of: client)
        return true
    }

    /// Removes the request of a client that has closed the connection.
    mutating func remove(_ connection: Connection) {
        guard let client = connection.slowClient else { return }
        queue.remove(of: client) { $0 === connection }
        connection.slowClient = nil
    }

    /// The connection to answer next; nil if no more requests may run.
    var next: Connection? { running < policy.atOnceMax ? queue.first : nil }

    mutating func begin() -> Connection? {
        guard let connection = queue.removeFirst() else { return nil }
        running += 1
        connection.phase = .answering
        return connection
    }

    mutating func end(_ connection: Connection, after microseconds: Int) {
        guard connection.slowClient != nil else { return }
        connection.slowClient = nil
        running -= 1
        guard connection.request?.refusedForSeconds == nil else { return }
        answerMicroseconds += (microseconds - answerMicroseconds) / 8
    }
}
