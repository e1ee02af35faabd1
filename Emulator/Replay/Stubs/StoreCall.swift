internal import Bytes
package import EmulatorBase
internal import EmulatorDynamoDB
internal import Synchronization

/// A call of a function to the emulator's DynamoDB.
package struct StoreCall: Sendable {
    struct Result: Sendable {
        let response: ServerResponse
        let units: ConsumedUnits
    }

    /// `GetItem`
    let operation: String
    let body: [UInt8]
    /// The partition keys of its items; an empty one if the request does not name them.
    let partitions: [String]
    let perform: @Sendable () -> Result

    /// Whether the call only concerns partitions whose keys have one of these beginnings.
    func concernsOnly(_ beginnings: [String]) -> Bool {
        !partitions.isEmpty
            && partitions.allSatisfy { key in beginnings.contains { key.has(prefix: $0) } }
    }

    var isWrite: Bool { Self.writes.containsText(operation) }

    private static let writes = [
        "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
    ]
}

/// Gets the calls of one run of a function, and answers each.
package protocol StoreCallObserver: Sendable {
    func handle(_ call: StoreCall, _ slot: ResponseSlot)
    /// The function has written its answer.
    func noteAnswer()
}

extension StoreCallObserver {
    package func noteAnswer() {}
}

final class StoreCallObservers: Sendable {
    private let observers = Mutex<[String: any StoreCallObserver]>([:])

    func set(_ observer: (any StoreCallObserver)?, for run: String) {
        observers.withLock { $0[run] = observer }
    }

    func observer(at path: Substring) -> (any StoreCallObserver)? {
        ReplayCalls.run(at: path).flatMap { run in observers.withLock { $0[run] } }
    }
}
