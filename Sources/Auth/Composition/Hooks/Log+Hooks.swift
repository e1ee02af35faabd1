internal import AuthOperations
internal import FunctionRuntime

extension Log {
    /// - Parameter continues: whether the operation continues without an answer.
    func report(_ kind: HookKind, _ failure: HookFailure, continues: Bool) {
        var values: [(StaticString, LogValue)] = [
            ("hook", .code(kind)), ("reason", .code(failure.reason)),
            ("continues", .flag(continues)),
        ]
        if let program = failure.program { values.append(("program", .failureDetail(program))) }
        if let status = failure.status { values.append(("status", .count(status))) }
        if let signal = failure.signal { values.append(("signal", .count(signal))) }
        counted("hookFailures", by: [["hook"]], .hookFailed, values, isError: true)
    }
}
