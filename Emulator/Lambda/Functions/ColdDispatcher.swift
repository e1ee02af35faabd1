internal import EmulatorProcesses
internal import JSON
internal import Synchronization
internal import Time

/// Starts a process for each event, over standard input and output.
final class ColdDispatcher: InvocationDispatcher {
    let function: FunctionConfiguration
    private let dispatch: DispatchContext
    private let running = Mutex<[String: ColdInvocation]>([:])

    init(_ function: FunctionConfiguration, _ dispatch: DispatchContext) {
        self.function = function
        self.dispatch = dispatch
    }

    func submit(_ invocation: Invocation) {
        let run = ColdInvocation(function, invocation, dispatch) { [weak self] in
            self?.running.withLock { _ = $0.removeValue(forKey: invocation.requestID) }
        }
        let isTaken = running.withLock { running in
            if let reserved = function.reservedConcurrency, running.count >= reserved {
                return false
            }
            running[invocation.requestID] = run
            return true
        }
        guard isTaken else {
            return dispatch.throttle(
                invocation, reason: "ReservedFunctionConcurrentInvocationLimitExceeded")
        }
        run.start()
    }

    /// Each process ends by itself.
    func drain() {}

    func stop() {
        for run in running.withLock({ Array($0.values) }) { run.kill() }
    }
}

/// One process for one event.
final class ColdInvocation: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var isTooLarge = false
        var isSettled = false
        var process: ManagedProcess?
        var deadline: DeadlineTimer?
    }

    private let function: FunctionConfiguration
    private let invocation: Invocation
    private let dispatch: DispatchContext
    private let log: OutputLog
    /// Called before the caller's completion, so that its next call finds a free slot.
    private let willSettle: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        _ function: FunctionConfiguration, _ invocation: Invocation, _ dispatch: DispatchContext,
        willSettle: @escaping @Sendable () -> Void
    ) {
        self.willSettle = willSettle
        self.function = function
        self.invocation = invocation
        self.dispatch = dispatch
        log = dispatch.outputLog(function)
    }

    func start() {
        dispatch.noteStart(function, invocation)
        var environment = FunctionEnvironment.variables(
            function, dispatch.settings, instanceID: dispatch.identifiers.instanceID(),
            now: dispatch.clock.now(), authority: nil)
        environment.append(("_X_AMZN_TRACE_ID", invocation.traceID))
        let plan = ProcessConfiguration(
            function.command, environment: environment, directory: function.directory,
            input: invocation.request.payload,
            limits: ProcessLimits(residentBytesMax: UInt64(function.memoryMegabytes) << 20),
            output: { [weak self] in self?.take($0) }, error: { [log] in log.append($0) },
            ended: { self.ended($0) })
        let deadline = dispatch.supervisor.timer { [weak self] in self?.timedOut() }
        deadline.schedule(afterMilliseconds: function.timeoutMilliseconds)
        let process = dispatch.supervisor.start(plan)
        state.withLock {
            $0.process = process
            $0.deadline = deadline
        }
    }

    func kill() { state.withLock { $0.process }?.kill() }

    private func take(_ bytes: ArraySlice<UInt8>) {
        let isTooLarge = state.withLock { state in
            guard !state.isTooLarge else { return false }
            // One more byte for the newline.
            if state.output.count + bytes.count > FunctionLimits.responseBytesMax + 1 {
                state.isTooLarge = true
                state.output = []
                return true
            }
            state.output += bytes
            return false
        }
        if isTooLarge {
            kill()
            settle(.failed(FunctionFailure.responseTooLarge.body(invocation.requestID)))
        }
    }

    private func timedOut() {
        kill()
        let failure = FunctionFailure.late(
            state.withLock { $0.process }, function, milliseconds: function.timeoutMilliseconds)
        settle(.failed(failure.body(invocation.requestID)), isTimeout: true)
    }

    private func ended(_ end: ProcessEnd) {
        var output = state.withLock { $0.output }
        if output.last == 0x0A { output.removeLast() }
        settle(outcome(end.reason, output), residentBytes: end.residentBytesMax)
    }

    /// A failing function writes the error to standard output and exits with a non-zero status.
    private func outcome(
        _ reason: ProcessEnd.Reason, _ output: [UInt8]
    ) -> InvocationResult.Outcome {
        guard output.count <= FunctionLimits.responseBytesMax else {
            return .failed(FunctionFailure.responseTooLarge.body(invocation.requestID))
        }
        if reason == .status(0), !output.isEmpty { return .answered(output) }
        if case .status = reason, Self.isErrorObject(output) { return .failed(output) }
        let path = function.command.first ?? ""
        return .failed(FunctionFailure.ended(reason, path: path).body(invocation.requestID))
    }

    private static func isErrorObject(_ output: [UInt8]) -> Bool {
        guard let object = try? JSON.parse(output, limits: .event) else { return false }
        return object["errorMessage"]?.stringValue != nil
    }

    private func settle(
        _ outcome: InvocationResult.Outcome, isTimeout: Bool = false, residentBytes: Int64? = nil
    ) {
        let (isFirst, process, deadline) = state.withLock { state in
            defer { state.isSettled = true }
            return (!state.isSettled, state.process, state.deadline)
        }
        guard isFirst else { return }
        deadline?.cancel()
        willSettle()
        CompletedInvocation(
            function: function, invocation: invocation, started: invocation.submitted,
            initDuration: nil, outcome: outcome, isTimeout: isTimeout,
            residentBytes: residentBytes ?? process?.residentBytesMax ?? 0, output: log.take()
        ).settle(dispatch)
    }
}
