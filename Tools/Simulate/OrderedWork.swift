import Foundation

/// Does numbered work on several threads, and delivers the results in the order of the numbers, so
/// that they do not depend on the number of threads.
final class OrderedWork<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by the condition's lock.
    private var next: UInt64
    private var taken: UInt64
    private var done: [UInt64: Result<Value, any Error>] = [:]
    private var isOver = false
    private var running: Int
    private let threads: Int
    private let work: @Sendable (UInt64) throws -> Value

    /// Each thread may be this many results ahead of the last delivered one.
    private static var leadMax: UInt64 { 16 }

    init(from first: UInt64, jobs: Int, work: @escaping @Sendable (UInt64) throws -> Value) {
        next = first
        taken = first
        threads = max(1, jobs)
        running = threads
        self.work = work
    }

    /// - Parameter take: returns false once no further result is needed.
    func run(_ take: (Value) throws -> Bool) throws {
        for _ in 0..<threads {
            let thread = Thread { [self] in workUntilOver() }
            // The stack is as large as the main thread's, because functions run nested in one
            // another.
            thread.stackSize = 16 << 20
            thread.start()
        }
        defer { finish() }
        while try take(try result()) {}
    }

    private func result() throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = done.removeValue(forKey: taken) {
                taken += 1
                condition.broadcast()
                return try result.get()
            }
            condition.wait()
        }
    }

    private func workUntilOver() {
        condition.lock()
        while true {
            while !isOver, next >= taken + Self.leadMax * UInt64(threads) { condition.wait() }
            if isOver { break }
            let number = next
            next += 1
            condition.unlock()
            let result = Result { try work(number) }
            condition.lock()
            done[number] = result
            condition.broadcast()
        }
        running -= 1
        condition.broadcast()
        condition.unlock()
    }

    private func finish() {
        condition.lock()
        isOver = true
        condition.broadcast()
        while running > 0 { condition.wait() }
        condition.unlock()
    }
}
