internal import EmulatorFunctions
internal import EmulatorTraces
internal import Synchronization
internal import Time

/// The latest log lines of the functions, numbered for followers.
final class LogBuffer: Sendable {
    struct Line: Sendable {
        let number: Int
        let function: String
        let text: String
    }

    private struct State: Sendable {
        var lines: [Line] = []
        var count = 0
        /// The unfinished line of each function.
        var open: [String: [UInt8]] = [:]
    }

    private static let linesMax = 5000
    private static let lineBytesMax = 64 << 10

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

    var sink: FunctionLogSink { FunctionLogSink { [self] in write($0, $1) } }

    /// Logs a line of the emulator itself.
    func note(_ text: String) {
        state.withLock { state in
            state.count += 1
            state.lines.append(Line(number: state.count, function: "emulator", text: text))
        }
        pass([text], of: "emulator")
    }

    private func pass(_ lines: [String], of function: String) {
        guard !lines.isEmpty else { return }
        let now = WallClock.system.now()
        for line in lines {
            traces.note(line, of: function, at: now)
            show(function, line)
        }
    }

    private func write(_ function: String, _ bytes: ArraySlice<UInt8>) {
        let finished = state.withLock { state in
            var open = state.open[function] ?? []
            open += bytes
            var finished: [String] = []
            while let end = open.firstIndex(of: UInt8(ascii: "\n")) {
                finished.append(String(decoding: open[..<end], as: UTF8.self))
                open.removeSubrange(...end)
            }
            if open.count > Self.lineBytesMax {
                finished.append(String(decoding: open, as: UTF8.self))
                open = []
            }
            state.open[function] = open.isEmpty ? nil : open
            for text in finished {
                state.count += 1
                state.lines.append(Line(number: state.count, function: function, text: text))
            }
            // Only at twice the limit, because removing from the front moves the rest.
            if state.lines.count > 2 * Self.linesMax {
                state.lines.removeFirst(state.lines.count - Self.linesMax)
            }
            return finished
        }
        pass(finished, of: function)
    }

    /// The newest `linesMax` lines after line `number`, and the number of the last line.
    func lines(after number: Int, linesMax: Int) -> (lines: [Line], last: Int) {
        state.withLock { state in
            let new = state.lines.drop { $0.number <= number }
            return (Array(new.suffix(linesMax)), state.count)
        }
    }
}
