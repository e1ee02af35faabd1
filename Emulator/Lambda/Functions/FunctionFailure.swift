internal import JSON

/// Errors of a function that did not report one itself, with Lambda's messages.
enum FunctionFailure {
    case timedOut(milliseconds: Int)
    case ended(ProcessEnd.Reason, path: String)
    case responseTooLarge
    /// Reported by the runtime itself at initialisation.
    case reported([UInt8])

    /// The function timed out, or its process could not be started in time.
    static func late(
        _ process: ManagedProcess?, _ function: FunctionConfiguration, milliseconds: Int
    ) -> FunctionFailure {
        guard let code = process?.delay else { return .timedOut(milliseconds: milliseconds) }
        return .ended(.notStarted(code: code), path: function.soughtPaths)
    }

    func body(_ requestID: String) -> [UInt8] {
        if case .reported(let body) = self { return body }
        let object: JSON = [
            "errorType": .string(type), "errorMessage": .string(message(requestID)),
        ]
        return object.serialized
    }

    /// The text that Lambda writes to the log. A time-out has its own log line. A runtime should
    /// itself log an error that it reports; if its `output` is empty, the error is logged here.
    func log(_ requestID: String, output: [UInt8]) -> String? {
        switch self {
        case .timedOut: return nil
        case .ended, .responseTooLarge: return "\(message(requestID))\n\(type)\n"
        case .reported(let body):
            guard output.isEmpty, let error = try? JSON.parse(body, limits: .event) else {
                return nil
            }
            let type = error["errorType"]?.stringValue ?? "Runtime.Unknown"
            return "[ERROR] \(type): \(error["errorMessage"]?.stringValue ?? "")\n"
        }
    }

    var type: String {
        switch self {
        case .timedOut: "Sandbox.Timedout"
        case .ended(.notStarted, _): "Runtime.InvalidEntrypoint"
        case .ended: "Runtime.ExitError"
        case .responseTooLarge: "Function.ResponseSizeTooLarge"
        case .reported: "Runtime.Unknown"
        }
    }

    private func message(_ requestID: String) -> String {
        switch self {
        case .timedOut(let milliseconds):
            "RequestId: \(requestID) Error: \(Self.timeoutText(milliseconds))"
        case .ended(let reason, let path):
            "RequestId: \(requestID) Error: \(Self.text(reason, path: path))"
        case .responseTooLarge:
            "Response payload size exceeded maximum allowed payload size (6291556 bytes)."
        case .reported: ""
        }
    }

    static func timeoutText(_ milliseconds: Int) -> String {
        "Task timed out after \(DecimalFormat.twoPlaces(thousandths: milliseconds)) seconds"
    }

    private static func text(_ reason: ProcessEnd.Reason, path: String) -> String {
        switch reason {
        case .status(0): "Runtime exited without providing a reason"
        case .status(let status): "Runtime exited with error: exit status \(status)"
        case .signal(let number): "Runtime exited with error: signal: \(signalText(number))"
        case .notStarted(ErrnoText.noSuchFile): "Couldn't find valid bootstrap(s): [\(path)]"
        case .notStarted(let code):
            "fork/exec \(path): \(ErrnoText.text(code).lowercased())"
        }
    }

    /// The signal's name in Lambda's notation.
    private static func signalText(_ number: Int32) -> String {
        let names: [Int32: String] = [
            1: "hangup", 2: "interrupt", 3: "quit", 4: "illegal instruction",
            5: "trace/breakpoint trap", 6: "aborted", 7: "bus error",
            8: "floating point exception", 9: "killed", 11: "segmentation fault",
            13: "broken pipe", 14: "alarm clock", 15: "terminated", 25: "file size limit exceeded",
        ]
        return names[number] ?? "signal \(number)"
    }
}

/// Formats decimal fractions.
enum DecimalFormat {
    /// Formats 1234 thousandths as "1.23".
    static func twoPlaces(thousandths: Int) -> String {
        let hundredths = (thousandths + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
