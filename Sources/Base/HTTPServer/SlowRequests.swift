/// Requests that take long whoever answers them, such as those that hash a password: they wait for
/// their turn without a thread, so that others are answered meanwhile.
package struct SlowRequests: Sendable {
    /// How many are answered at once.
    let atOnceMax: Int
    /// A request that is expected to wait for longer is refused as soon as it is complete.
    let waitMillisecondsMax: Int
    /// Whose request it is: clients take turns. nil for a request that is not slow. It is asked
    /// while no other request is read.
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
    /// A moving average of how long one takes. Before the first, a guess.
    private var answerMicroseconds = 50_000

    init(_ policy: SlowRequests, connectionsMax: Int) {
        self.policy = policy
        // The other connections are for other requests.
        waitingMax = max(1, connectionsMax / 2)
    }

    /// Whether the request of the connection waits here. One whose turn would come too late does
    /// not.
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

    /// The client has hung up.
    mutating func remove(_ connection: Connection) {
        guard let client = connection.slowClient else { return }
        queue.remove(of: client) { $0 === connection }
        connection.slowClient = nil
    }

    /// The one whose turn it is.
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
