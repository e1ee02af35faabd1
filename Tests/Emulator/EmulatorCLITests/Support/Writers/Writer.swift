/// A client that writes one thing after the other and remembers what was acknowledged.
protocol Writer: Sendable {
    /// One write. What it throws is the emulator's end: then nothing was acknowledged.
    func step(_ caller: EmulatorClient) throws
    /// Whether all is there that was acknowledged since the last look, and the rest whole or not
    /// at all. Nothing is forgotten by it: `verifyAll` looks at everything once more.
    func verify(_ caller: EmulatorClient) throws
    func verifyAll(_ caller: EmulatorClient) throws
    var acknowledgedCount: Int { get }
}

/// What came of numbered writes.
struct WriteLog: Sendable {
    private(set) var acknowledged: [Int] = []
    private var isLookedAt = 0
    /// Sent and not answered.
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

    /// Those to look at now: they are looked at by `verifyAll` only after that.
    mutating func takeNew() -> (acknowledged: [Int], open: [Int]) {
        defer {
            isLookedAt = acknowledged.count
            open = []
        }
        return (Array(acknowledged[isLookedAt...]), open)
    }
}
