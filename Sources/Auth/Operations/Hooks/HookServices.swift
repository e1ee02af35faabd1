internal import Synchronization
internal import Time

/// The hooks of a deployment (`HOOKS`).
package struct HookServices: Sendable {
    package struct Hook: Sendable {
        let kind: HookKind
        /// Whether the operation continues if the hook fails.
        let failsOpen: Bool
        let call: Call

        package init(_ kind: HookKind, failsOpen: Bool, call: @escaping Call) {
            self.kind = kind
            self.failsOpen = failsOpen
            self.call = call
        }
    }

    /// Sends the event and waits for the answer, within the time limit of the deployment.
    package typealias Call = @Sendable (HookEvent) throws(HookFailure) -> [UInt8]
    package typealias Report = @Sendable (HookKind, HookFailure, _ continues: Bool) -> Void

    private let hooks: [Hook]
    private let report: Report
    /// The threads that wait for a hook: a hook that hangs must not block all threads of a server.
    private let share = ThreadShare(divisor: 2)
    private let background = UnresponsiveHook()

    package init(_ hooks: [Hook], report: @escaping Report = { _, _, _ in }) {
        self.hooks = hooks
        self.report = report
    }

    func addThread() { share.addThread() }

    func has(_ kind: HookKind) -> Bool { hooks.contains { $0.kind == kind } }

    /// nil if there is no such hook, or if it failed and the operation may continue without it.
    func answer<Answer>(
        to event: HookEvent, parsing parse: ([UInt8]) throws(HookFailure) -> Answer
    ) throws(AuthError) -> Answer? {
        guard let hook = hooks.first(where: { $0.kind == event.kind }) else { return nil }
        do throws(HookFailure) {
            return try ask(hook, event, parsing: parse)
        } catch {
            report(event.kind, error, hook.failsOpen)
            guard hook.failsOpen else { throw .hook(.unavailable(event.kind)) }
            return nil
        }
    }

    /// Calls the hook in background work. Returns when the application has confirmed its part, and
    /// immediately if no hook of this kind is configured.
    func carryOut(_ event: HookEvent) throws(ErasureFailure) {
        guard let hook = hooks.first(where: { $0.kind == event.kind }) else { return }
        guard background.mayBeAsked(at: event.time) else { throw .unavailable }
        do throws(HookFailure) {
            try ask(hook, event) { bytes throws(HookFailure) in
                try ConfirmationAnswer.check(bytes)
            }
        } catch {
            if error.reason == .timedOut { background.rest(from: event.time) }
            report(event.kind, error, false)
            throw .unavailable
        }
    }

    func deliver(_ message: HookEvent) throws(MailFailure) {
        guard let hook = hooks.first(where: { $0.kind == message.kind }) else { throw .refused }
        let isSent: Bool
        do throws(HookFailure) {
            isSent = try ask(hook, message) { bytes throws(HookFailure) in
                try SendAnswer.isSent(parsing: bytes)
            }
        } catch {
            report(message.kind, error, false)
            throw .unavailable
        }
        guard isSent else { throw .addressRejected }
    }

    private func ask<Answer>(
        _ hook: Hook, _ event: HookEvent,
        parsing parse: ([UInt8]) throws(HookFailure) -> Answer
    ) throws(HookFailure) -> Answer {
        guard share.enter() else { throw .busy }
        defer { share.leave() }
        return try parse(try hook.call(event))
    }
}

/// In housekeeping the wait is short: a hook that hangs delays the run only once, and not for each
/// account.
private final class UnresponsiveHook: Sendable {
    private static let rest = Span.seconds(30)
    private let until = Mutex<Instant?>(nil)

    func mayBeAsked(at now: Instant) -> Bool {
        until.withLock { until in until.map { now >= $0 } ?? true }
    }

    func rest(from now: Instant) { until.withLock { $0 = now + Self.rest } }
}

/// Why a hook gave no valid answer.
package struct HookFailure: Error, Equatable, Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        case timedOut, unavailable
        /// The function ended with an error, or the server answered with a status other than 200.
        case failed
        case tooLarge, malformed
        /// Too many requests wait for hooks.
        case busy
        /// `merge` or `erase` has not finished yet.
        case notDone
        /// The file of a program does not exist, or cannot be started.
        case missing, notExecutable
        /// A program ended without an answer, or by a signal.
        case exited, killed
    }

    package let reason: Reason
    /// The path of the program.
    package var program: String?
    /// The exit status of a program, or the status of an HTTP response.
    package var status: Int?
    package var signal: Int?

    package init(
        _ reason: Reason, program: String? = nil, status: Int? = nil, signal: Int? = nil
    ) {
        self.reason = reason
        self.program = program
        self.status = status
        self.signal = signal
    }

    package static let timedOut = HookFailure(.timedOut)
    package static let unavailable = HookFailure(.unavailable)
    package static let failed = HookFailure(.failed)
    package static let tooLarge = HookFailure(.tooLarge)
    package static let malformed = HookFailure(.malformed)
    package static let busy = HookFailure(.busy)
    package static let notDone = HookFailure(.notDone)
}
