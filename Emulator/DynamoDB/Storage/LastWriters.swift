/// The request of a write, as the emulator's traces identify it.
package struct WriteOrigin: Hashable, Sendable {
    package let trace: UInt128
    /// The start by the traces' clock, which distinguishes the calls of one trace.
    package let startNanoseconds: UInt64

    package init(trace: UInt128, startNanoseconds: UInt64) {
        self.trace = trace
        self.startNanoseconds = startNanoseconds
    }
}

/// The request that wrote an item last, for the latest written items.
struct LastWriters {
    private var recent: [[UInt8]: WriteOrigin] = [:]
    /// The older writers; `recent` is searched first.
    private var older: [[UInt8]: WriteOrigin] = [:]
    private let recentMax: Int

    /// Keeps at least the last `recentMax` written items, and fewer than twice as many.
    init(recentMax: Int = 4096) { self.recentMax = recentMax }

    subscript(row: [UInt8]) -> WriteOrigin? { recent[row] ?? older[row] }

    /// - Parameter origin: nil for a write of the emulator itself.
    mutating func note(_ row: [UInt8], _ origin: WriteOrigin?) {
        guard let origin else { return forget(row) }
        recent[row] = origin
        guard recent.count >= recentMax else { return }
        older = recent
        recent = [:]
    }

    mutating func forget(_ row: [UInt8]) {
        recent[row] = nil
        older[row] = nil
    }

    /// The items that a trace wrote last.
    func rows(of trace: UInt128) -> [(row: [UInt8], origin: WriteOrigin)] {
        let replaced = older.filter { recent[$0.key] == nil }
        return [recent, replaced].flatMap { writers in
            writers.filter { $0.value.trace == trace }.map { ($0.key, $0.value) }
        }
    }
}
