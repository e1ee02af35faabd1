internal import Synchronization

/// The output of an instance: kept for the current invocation and forwarded to the log.
final class OutputLog: Sendable {
    private struct State: Sendable {
        var kept: [UInt8] = []
        var requestID: String?
        var isQuiet = false
    }

    private let state = Mutex(State())
    private let follow: @Sendable (_ requestID: String?, ArraySlice<UInt8>) -> Void

    init(follow: @escaping @Sendable (_ requestID: String?, ArraySlice<UInt8>) -> Void) {
        self.follow = follow
    }

    /// Output from now on belongs to that invocation, also after its response.
    func begin(_ invocation: Invocation) {
        state.withLock {
            $0.requestID = invocation.requestID
            $0.isQuiet = invocation.request.isQuiet
        }
    }

    func append(_ bytes: ArraySlice<UInt8>) {
        let (requestID, isQuiet) = state.withLock { state in
            state.kept += bytes
            // Keeps the newest output. Trimmed at twice the limit only, because trimming copies.
            if state.kept.count > 2 * FunctionLimits.outputBytesMax {
                state.kept.removeFirst(state.kept.count - FunctionLimits.outputBytesMax)
            }
            return (state.requestID, state.isQuiet)
        }
        if !isQuiet { follow(requestID, bytes) }
    }

    func take() -> [UInt8] {
        state.withLock { state in
            defer { state.kept = [] }
            return state.kept
        }
    }
}

/// The START, END and REPORT lines around an invocation's output.
package struct LogFrame {
    let requestID: String
    let duration: UInt64
    let memoryMegabytes: Int
    let residentBytes: Int64
    let initDuration: UInt64?
    /// The line for a timeout, and the status.
    let timeout: String?
    /// The lines about any other failure, and its type.
    var failure: (text: String, type: String)?

    static func start(_ requestID: String) -> String {
        "START RequestId: \(requestID) Version: $LATEST\n"
    }

    /// Whether a line of the log is a START, END or REPORT line.
    package static func isPart(_ line: String) -> Bool {
        ["START", "END", "REPORT"].contains { line.hasPrefix("\($0) RequestId: ") }
    }

    var end: String {
        let used = max(1, (residentBytes + (1 << 20) - 1) >> 20)
        var text = timeout.map { "\($0)\n" } ?? failure?.text ?? ""
        text += "END RequestId: \(requestID)\n"
        text += "REPORT RequestId: \(requestID)\tDuration: \(Self.milliseconds(duration)) ms\t"
        text += "Billed Duration: \(billedMilliseconds) ms\tMemory Size: \(memoryMegabytes) MB\t"
        text += "Max Memory Used: \(used) MB\t"
        if let initDuration { text += "Init Duration: \(Self.milliseconds(initDuration)) ms\t" }
        if timeout != nil {
            text += "Status: timeout"
        } else if let failure {
            text += "Status: error\tError Type: \(failure.type)"
        }
        return text + "\n"
    }

    /// The billed time in milliseconds, rounded up.
    var billedMilliseconds: Int {
        max(1, Int((duration + (initDuration ?? 0) + 999_999) / 1_000_000))
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        DecimalFormat.twoPlaces(thousandths: Int(nanoseconds / 1000))
    }
}

/// Receives the log of all functions, in order per instance.
package struct FunctionLogSink: Sendable {
    package typealias Write =
        @Sendable (_ function: String, _ requestID: String?, _ bytes: ArraySlice<UInt8>) -> Void

    /// The request ID is nil for output before the first invocation of a process.
    package let write: Write

    package init(write: @escaping Write) { self.write = write }
}
