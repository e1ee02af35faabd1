internal import FunctionRuntime
internal import Time

/// Shows at a terminal how many items were moved, once a second. The next line of the command
/// replaces it.
struct TransferProgress {
    private let verb: String
    private let isShown = Terminal.errorIsTerminal
    private let stopwatch = Stopwatch()
    private var shownSeconds = 0

    init(_ verb: String) { self.verb = verb }

    mutating func show(_ count: Int) {
        let seconds = Int(stopwatch.seconds)
        guard isShown, seconds > shownSeconds else { return }
        shownSeconds = seconds
        _ = Descriptor.writeAll(Array("\r\(count) items \(verb) …".utf8), to: 2)
    }
}
