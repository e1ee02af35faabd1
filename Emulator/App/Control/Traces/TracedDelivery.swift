internal import EmulatorDebugging
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import Synchronization
internal import Time

/// Delivers mails that are sent by SMTP, and records each in the trace of the function that sent
/// it.
///
/// SMTP carries no trace header, and a function's mailer may be any library: the sender is found by
/// the process that has the connection open. A process has one invocation at a time.
final class TracedDelivery: Sendable {
    private let mailbox: Mailbox
    private let recorder: TraceRecorder
    /// The listener starts before the functions.
    private let functions = Mutex<FunctionService?>(nil)

    init(_ mailbox: Mailbox, _ recorder: TraceRecorder) {
        self.mailbox = mailbox
        self.recorder = recorder
    }

    func connect(_ functions: FunctionService) { self.functions.withLock { $0 = functions } }

    func deliver(_ mail: SMTPMail) -> SMTPVerdict {
        let verdict = mailbox.verdict(on: mail)
        guard let connection = mail.connection else { return verdict }
        let end = MonotonicClock.nanoseconds
        let start = min(connection.startNanoseconds, end)
        let startedAt =
            WallClock.system.now() - .milliseconds(Int64((end - start) / 1_000_000))
        let (ending, id): (RecordedCall.Ending, String?) =
            switch verdict {
            case .accepted(let id): (.answered(status: 250, detail: []), id)
            case .refused(let reply):
                (
                    .answered(status: Int(reply.prefix(3)) ?? 554, detail: Array(reply.utf8)),
                    nil
                )
            }
        recorder.record(
            RecordedCall(
                trace: trace(connection) ?? recorder.newTrace(at: startedAt), service: .ses,
                operation: "MAIL", resource: "", startedAt: startedAt,
                startNanoseconds: start, endNanoseconds: end, ending: ending, mail: id, form: .smtp
            ))
        return verdict
    }

    private func trace(_ connection: SMTPConnectionInfo) -> TraceID? {
        guard let functions = functions.withLock({ $0 }),
            let socket = LocalSocket(
                clientPort: connection.clientPort, serverPort: connection.serverPort)
        else { return nil }
        return functions.trace(of: socket).flatMap { TraceID(amazonHeader: $0) }
    }
}
