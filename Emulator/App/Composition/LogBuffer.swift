internal import EmulatorDebugging
internal import EmulatorLambda
internal import Synchronization
internal import Time

/// The latest log lines of the functions, numbered for followers.
final class LogBuffer: Sendable {
    struct Line: Sendable {
        let number: Int
        let at: Instant
        let function: String
        /// nil for lines outside an invocation.
        let requestID: String?
        let text: String
    }

    /// The writer of an unfinished line. Unfinished lines of different writers are kept apart.
    private struct Writer: Hashable {
        let function: [UInt8]
        let requestID: [UInt8]
    }

    private struct State: Sendable {
        var lines: [Line] = []
        var count = 0
        var open: [Writer: [UInt8]] = [:]

        mutating func append(_ text: String, of function: String, _ requestID: String?) -> Line {
            count += 1
            let line = Line(
                number: count, at: WallClock.system.now(), function: function,
                requestID: requestID, text: text)
            lines.append(line)
            // Lines are removed only at twice the limit, because removing from the front moves the
            // rest.
            if lines.count > 2 * LogBuffer.linesMax {
                lines.removeFirst(lines.count - LogBuffer.linesMax)
            }
            return line
        }
    }

    private static let linesMax = 5000
    private static let lineBytesMax = 64 << 10
    private static let openLinesMax = 1000

    private let state = Mutex(State())
    private let traces: TraceRecorder
    private let show: @Sendable (_ function: String, _ line: String) -> Void

    init(
        _ traces: TraceRecorder,
        show: @escaping @Sendable (_ function: String, _ line: String) -> Void
    ) {
        self.traces = traces
        self.show = show
    }

    var sink: FunctionLogSink { FunctionLogSink { [self] in write($0, $1, $2) } }

    /// Logs a line of the emulator itself.
    func note(_ text: String) {
        pass(state.withLock { $0.append(text, of: "emulator", nil) })
    }

    private func pass(_ line: Line) {
        traces.note(line.text, of: line.function, line.requestID, at: line.at)
        show(line.function, line.text)
    }

    private func write(_ function: String, _ requestID: String?, _ bytes: ArraySlice<UInt8>) {
        // Most writes are one whole line.
        if bytes.firstIndex(of: UInt8(ascii: "\n")) == bytes.endIndex - 1 {
            let text = String(decoding: bytes.dropLast(), as: UTF8.self)
            let line = state.withLock { state in
                state.open.isEmpty ? state.append(text, of: function, requestID) : nil
            }
            if let line { return pass(line) }
        }
        let finished = state.withLock { state in
            let writer = {
                Writer(function: Array(function.utf8), requestID: Array((requestID ?? "").utf8))
            }
            var open = bytes
            if !state.open.isEmpty, let earlier = state.open.removeValue(forKey: writer()) {
                open = earlier[...] + bytes
            }
            var finished: [String] = []
            while let end = open.firstIndex(of: UInt8(ascii: "\n")) {
                finished.append(String(decoding: open[..<end], as: UTF8.self))
                open = open[(end + 1)...]
            }
            if open.count > Self.lineBytesMax {
                finished.append(String(decoding: open, as: UTF8.self))
                open = []
            }
            // These are unfinished lines of invocations that have ended.
            if state.open.count > Self.openLinesMax { state.open = [:] }
            // This is a copy, because a slice would retain the whole buffer.
            if !open.isEmpty { state.open[writer()] = Array(open) }
            return finished.map { state.append($0, of: function, requestID) }
        }
        for line in finished { pass(line) }
    }

    /// The newest `linesMax` lines after line `number`, and the number of the last line.
    func lines(after number: Int, linesMax: Int) -> (lines: [Line], last: Int) {
        state.withLock { state in
            let new = state.lines.drop { $0.number <= number }
            return (Array(new.suffix(linesMax)), state.count)
        }
    }
}
