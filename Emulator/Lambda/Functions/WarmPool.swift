internal import EmulatorBase
internal import HTTP
internal import Synchronization
internal import Time

/// The processes of one function that use the Runtime API.
final class WarmPool: InvocationDispatcher {
    let function: FunctionConfiguration
    let dispatch: DispatchContext
    private let registry: FunctionInstanceRegistry
    private let authorityPort: UInt16
    private let state: Mutex<PoolState>
    /// Whether a process has asked for an event, and so supports the Runtime API.
    private let hasAsked = Atomic<Bool>(false)
    private let stamp: Mutex<FileStamp?>
    private let codeVersion: Mutex<Int?>
    private let isDraining = Atomic<Bool>(false)
    private let scaling = Mutex<DeadlineTimer?>(nil)
    private let retiring = Mutex<DeadlineTimer?>(nil)

    init(
        _ function: FunctionConfiguration, _ dispatch: DispatchContext,
        registry: FunctionInstanceRegistry,
        authorityPort: UInt16
    ) {
        self.function = function
        self.dispatch = dispatch
        self.registry = registry
        self.authorityPort = authorityPort
        state = Mutex(PoolState(isSingleUse: function.mode != .warm))
        stamp = Mutex(function.command.first.flatMap { FileStamp(path: $0) })
        codeVersion = Mutex(function.codeVersion?())
        scaling.withLock { $0 = dispatch.supervisor.timer { [weak self] in self?.scale() } }
        retiring.withLock { $0 = dispatch.supervisor.timer { [weak self] in self?.retire() } }
    }

    func submit(_ invocation: Invocation) {
        noticeRebuild()
        enum Step {
            case assign(FunctionInstance, ResponseSlot)
            case wait, throttle
        }
        let now = MonotonicClock.nanoseconds
        let step = state.withLock { state -> Step in
            if let reserved = function.reservedConcurrency, state.inFlight >= reserved {
                return .throttle
            }
            if let (instance, slot) = state.assign(invocation, now: now) {
                return .assign(instance, slot)
            }
            state.waiting.append(invocation)
            return .wait
        }
        switch step {
        case .assign(let instance, let slot): give(invocation, to: instance, slot, now: now)
        case .wait: scale()
        case .throttle:
            dispatch.throttle(
                invocation, reason: "ReservedFunctionConcurrentInvocationLimitExceeded")
        }
    }

    func drain() {
        isDraining.store(true, ordering: .relaxed)
        end(state.withLock { $0.makeStale() })
    }

    func stop() {
        drain()
        let (members, waiting) = state.withLock { state in
            defer { state = PoolState(isSingleUse: state.isSingleUse) }
            return (Array(state.members.values), state.waiting)
        }
        for member in members {
            if case .busy(let invocation, let started) = member.phase {
                fail(invocation, member, started: started, .ended(.signal(9), path: path))
            }
            end(member.instance)
        }
        for invocation in waiting { dispatch.throttle(invocation, reason: "ServiceStopping") }
    }

    var isUsed: Bool { hasAsked.load(ordering: .relaxed) }

    private var isSingleUse: Bool { function.mode != .warm }

    private var path: String { function.command.first ?? "" }

    /// A rebuilt executable and edited code are used from the next request on; invocations in
    /// progress finish with the old ones.
    private func noticeRebuild() {
        let found = FileStamp(path: path)
        let changed = stamp.withLock { stamp in
            // While a linker writes, the file may be missing.
            guard let found, found != stamp else { return false }
            defer { stamp = found }
            return stamp != nil
        }
        let version = function.codeVersion?()
        let isEdited = codeVersion.withLock { known in
            defer { known = version }
            return known != version
        }
        if changed || isEdited { end(state.withLock { $0.makeStale() }) }
    }

    private func end(_ instance: FunctionInstance) {
        registry.remove(instance)
        instance.kill()
    }

    /// Fails the requests that are waiting when the pool stops; released slots respond by
    /// themselves.
    private func end(_ leaving: [PoolState.Member]) {
        withExtendedLifetime(leaving) {
            for member in leaving { end(member.instance) }
        }
    }

    private func retire() {
        let idleMax = UInt64(dispatch.settings.idleMillisecondsMax) * 1_000_000
        let (leaving, next) = state.withLock {
            $0.retire(now: MonotonicClock.nanoseconds, idleMax: idleMax)
        }
        end(leaving)
        if let next { retiring.withLock { $0 }?.schedule(at: next) }
    }
}

/// Starting and ending processes.
extension WarmPool {
    private func scale() {
        let settings = dispatch.settings
        let (new, askAgain) = state.withLock { state -> ([FunctionInstance], UInt64?) in
            let (count, askAgain) = state.missing(
                now: MonotonicClock.nanoseconds,
                concurrencyMax: function.reservedConcurrency ?? settings.concurrencyMax,
                withoutWait: settings.instancesWithoutWait,
                patience: UInt64(settings.patienceMilliseconds) * 1_000_000)
            let new = (0..<count).map { _ in makeInstance() }
            for instance in new {
                state.members[instance.host] = PoolState.Member(instance: instance)
            }
            return (new, askAgain)
        }
        for instance in new { start(instance) }
        if let askAgain { scaling.withLock { $0 }?.schedule(at: askAgain) }
    }

    private func makeInstance() -> FunctionInstance {
        let instance = registry.add(to: self) { host in
            FunctionInstance(
                host: host, id: dispatch.identifiers.instanceID(),
                log: dispatch.outputLog(function))
        }
        instance.attach(
            dispatch.supervisor.timer { [weak self, weak instance] in
                if let instance { self?.deadlinePassed(instance) }
            })
        return instance
    }

    private func start(_ instance: FunctionInstance) {
        let host = ServerAddress(host: instance.host, port: authorityPort)
        let log = instance.log
        let plan = ProcessConfiguration(
            function.command,
            environment: FunctionEnvironment.variables(
                function, dispatch.settings, instanceID: instance.id,
                now: dispatch.clock.now(), authority: host.description),
            directory: function.directory,
            limits: ProcessLimits(residentBytesMax: UInt64(function.memoryMegabytes) << 20),
            output: { log.append($0) },
            ended: { [weak self] end in self?.ended(instance, end) })
        instance.scheduleDeadline(
            at: instance.started + UInt64(dispatch.settings.initMillisecondsMax) * 1_000_000)
        instance.attach(dispatch.supervisor.start(plan))
    }

    private func ended(_ instance: FunctionInstance, _ end: ProcessEnd) {
        instance.cancelDeadline()
        registry.remove(instance)
        if let (member, victim) = state.withLock({ $0.remove(instance) }), let victim {
            let failure =
                member.initError.map { FunctionFailure.reported($0) }
                ?? .ended(end.reason, path: function.soughtPaths)
            fail(victim, member, residentBytes: end.residentBytesMax, failure)
        }
        scale()
    }

    /// The deadline may have moved after the timer fired.
    private func deadlinePassed(_ instance: FunctionInstance) {
        let now = MonotonicClock.nanoseconds
        let timeout = UInt64(function.timeoutMilliseconds) * 1_000_000
        let initMax = UInt64(dispatch.settings.initMillisecondsMax) * 1_000_000
        let removed = state.withLock { state -> (member: PoolState.Member, victim: Invocation?)? in
            switch state.members[instance.host]?.phase {
            case .busy(_, let started) where now >= started + timeout: state.remove(instance)
            case .starting where now >= instance.started + initMax: state.remove(instance)
            case .busy, .starting, .idle, .answered, nil: nil
            }
        }
        guard let removed else { return }
        registry.remove(instance)
        instance.kill()
        if let victim = removed.victim {
            var milliseconds = function.timeoutMilliseconds
            if case .starting = removed.member.phase {
                milliseconds = dispatch.settings.initMillisecondsMax
            }
            fail(
                victim, removed.member, instance.lateness(function, milliseconds: milliseconds))
        }
        scale()
    }

    private func fail(
        _ invocation: Invocation, _ member: PoolState.Member, started: UInt64? = nil,
        residentBytes: Int64? = nil, _ failure: FunctionFailure
    ) {
        var began = started ?? invocation.submitted
        if case .busy(_, let started) = member.phase { began = started }
        CompletedInvocation(
            function: function, invocation: invocation, started: began,
            initDuration: member.initDuration,
            outcome: .failed(failure.body(invocation.requestID)), failure: failure,
            residentBytes: residentBytes ?? member.instance.residentBytesMax,
            output: member.instance.takeOutput()
        ).settle(dispatch)
    }
}

/// Called by the Runtime API.
extension WarmPool {
    func next(_ instance: FunctionInstance, _ slot: ResponseSlot) {
        let now = MonotonicClock.nanoseconds
        hasAsked.store(true, ordering: .relaxed)
        switch state.withLock({ $0.next(instance, slot, now: now) }) {
        case .assign(let invocation): give(invocation, to: instance, slot, now: now)
        case .wait:
            instance.cancelDeadline()
            if isDraining.load(ordering: .relaxed) {
                return end(state.withLock { $0.makeStale() })
            }
            planRetirement(now)
            if dispatch.supervisor.isDelaying { end(state.withLock { $0.takeDelayed() }) }
        case .retire:
            end(instance)
            scale()
        case .refuse: slot.respond(RuntimeReply.wrongState("Running", "Ready"))
        }
    }

    private func planRetirement(_ now: UInt64) {
        let isNew = state.withLock { state in
            defer { state.retirementIsDue = true }
            return !state.retirementIsDue
        }
        let idleMax = UInt64(dispatch.settings.idleMillisecondsMax) * 1_000_000
        if isNew { retiring.withLock { $0 }?.schedule(at: now + idleMax) }
    }

    private func give(
        _ invocation: Invocation, to instance: FunctionInstance, _ slot: ResponseSlot, now: UInt64
    ) {
        instance.scheduleDeadline(at: now + UInt64(function.timeoutMilliseconds) * 1_000_000)
        instance.begin(invocation)
        dispatch.noteStart(function, invocation)
        let deadline = dispatch.clock.now() + .milliseconds(Int64(function.timeoutMilliseconds))
        slot.respond(
            RuntimeReply.event(
                invocation, arn: dispatch.settings.arn(function.name), deadline: deadline))
    }

    func answer(
        _ instance: FunctionInstance, _ requestID: Substring, _ outcome: InvocationResult.Outcome,
        isError: Bool, isRefused: Bool = false, streamedType: String? = nil
    ) -> ServerResponse {
        let now = MonotonicClock.nanoseconds
        let answer = state.withLock {
            $0.answer(instance, requestID, isError: isError, isRefused: isRefused, now: now)
        }
        switch answer {
        case .take(let invocation, let started, let initDuration):
            instance.cancelDeadline()
            instance.noteResponse()
            CompletedInvocation(
                function: function, invocation: invocation, started: started,
                initDuration: initDuration, outcome: outcome, streamedType: streamedType,
                residentBytes: instance.residentBytesMax, output: instance.takeOutput()
            ).settle(dispatch)
            if isSingleUse {
                end(instance)
                scale()
            }
            return RuntimeReply.accepted
        case .accept: return RuntimeReply.accepted
        case .wrongID: return RuntimeReply.wrongID
        case .wrongState:
            return RuntimeReply.wrongState(
                "Ready", isError ? "InvocationErrorResponse" : "InvocationResponse")
        }
    }

    func failInit(_ instance: FunctionInstance, _ error: [UInt8]) -> ServerResponse {
        state.withLock { state in
            guard case .starting = state.members[instance.host]?.phase else {
                return RuntimeReply.wrongState("Ready", "InitError")
            }
            state.members[instance.host]?.initError = error
            return RuntimeReply.accepted
        }
    }
}
