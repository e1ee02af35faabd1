internal import FunctionRuntime
internal import Glibc

/// Shows at a terminal how many items were moved, once a second.
struct TransferProgress {
    private let verb: String
    private let isShown = Terminal.errorIsTerminal
    private var shownAt = monotonicSeconds()
    private var hasShown = false

    init(_ verb: String) { self.verb = verb }

    mutating func show(_ count: Int) {
        guard isShown, Self.monotonicSeconds() > shownAt else { return }
        shownAt = Self.monotonicSeconds()
        hasShown = true
        _ = Descriptor.writeAll(Array("\r\(count) items \(verb) …".utf8), to: 2)
    }

    /// Clears the line.
    func end() {
        if hasShown { _ = Descriptor.writeAll(Array("\r\u{1B}[K".utf8), to: 2) }
    }

    private static func monotonicSeconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
