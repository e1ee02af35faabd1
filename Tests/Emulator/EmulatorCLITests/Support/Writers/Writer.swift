/// A client that writes sequentially and remembers what was acknowledged.
protocol Writer: Sendable {
    /// One write. It throws if the emulator ends; then nothing was acknowledged.
    func step(_ caller: EmulatorClient) throws
    /// Verifies that everything acknowledged since the last call is present, and that all other
    /// writes are complete or absent. `verifyAll` checks everything again.
    func verify(_ caller: EmulatorClient) throws
    func verifyAll(_ caller: EmulatorClient) throws
    var acknowledgedCount: Int { get }
}

/// The results of numbered writes.
struct WriteLog: Sendable {
    private(set) var acknowledged: [Int] = []
    private var isLookedAt = 0
    /// Sent and not acknowledged.
    private(set) var open: [Int] = []
    private var next = 0

    mutating func begin() -> Int {
        defer { next += 1 }
        open.append(next)
        return next
    }

    mutating func acknowledge(_ number: Int) {
        open.removeAll { $0 == number }
        acknowledged.append(number)
    }

    /// The writes to verify now; later only `verifyAll` verifies them.
    mutating func takeNew() -> (acknowledged: [Int], open: [Int]) {
        defer {
            isLookedAt = acknowledged.count
            open = []
        }
        return (Array(acknowledged[isLookedAt...]), open)
    }
}
