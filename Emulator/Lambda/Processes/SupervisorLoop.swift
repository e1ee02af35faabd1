internal import CPosix
internal import Glibc
internal import Synchronization

/// The supervisor's state of a running process.
struct SupervisedProcess {
    let process: ManagedProcess
    var child: SpawnedProcess
    let pidfd: Int32
    let output: OutputPipe
    let error: OutputPipe?
    /// Set when the process has ended, but not all of its descendants have.
    var end: ProcessEnd?

    var hasExited: Bool { end != nil }
}

/// The event loop of the supervisor's thread.
struct SupervisorLoop {
    /// The event source in the low bits of an epoll token; the other bits are a process's serial
    /// number.
    private enum Source: UInt64 {
        case mailbox = 0, exit, output, error, input
    }

    private let mailbox: SupervisorMailbox
    private let watchdog: ProcessGroupWatchdog?
    /// An environment entry of every child, set if descendants are to be killed.
    private let mark: (name: String, value: String)?
    private var processes: [UInt64: SupervisedProcess] = [:]
    /// Exited processes with descendants that are not reaped yet.
    private var dying: Set<UInt64> = []
    /// Processes whose start failed temporarily and will be retried.
    private var delayed: [UInt64: ManagedProcess] = [:] {
        didSet { mailbox.delayedCount.store(delayed.count, ordering: .relaxed) }
    }
    private var monitor = ResourceMonitor()
    private var nextSample: UInt64 = 0
    private var isStopping = false

    private static let dyingPauseMilliseconds: Int32 = 2
    private static let attemptPauseMilliseconds = 20
    private static let sampleNanoseconds = UInt64(ResourceMonitor.intervalMilliseconds) * 1_000_000

    init(_ mailbox: SupervisorMailbox) {
        self.mailbox = mailbox
        // A pid may be reused, but not at the same time.
        mark =
            mailbox.ownsStrays
            ? ("LATCHKEY_EMULATOR", "\(getpid())-\(MonotonicClock.nanoseconds)") : nil
        watchdog = ProcessGroupWatchdog(mark: mark.map { "\($0.name)=\($0.value)" })
    }

    mutating func run() {
        var tokens = [UInt64](repeating: 0, count: 64)
        while !isStopping || !processes.isEmpty {
            let count = latchkey_epoll_wait(mailbox.set, &tokens, 64, pauseMilliseconds())
            for token in tokens.prefix(max(0, Int(count))) { handle(token) }
            let now = MonotonicClock.nanoseconds
            for timer in mailbox.timers.takeDue(now: now) { timer.action() }
            for serial in dying { finish(serial) }
            if now >= nextSample, !processes.isEmpty {
                monitor.sample(processes)
                endStrays()
                nextSample = now + Self.sampleNanoseconds
            }
        }
        endStrays()
        watchdog?.dismiss()
    }

    private func pauseMilliseconds() -> Int32 {
        if !dying.isEmpty { return Self.dyingPauseMilliseconds }
        let now = MonotonicClock.nanoseconds
        var pause = mailbox.timers.next(now: now) ?? .max
        if !processes.isEmpty { pause = min(pause, nextSample > now ? nextSample - now : 0) }
        guard pause != .max else { return -1 }
        // The pause is rounded up, to avoid a busy loop in the last millisecond.
        return Int32(min(UInt64(Int32.max), (pause + 999_999) / 1_000_000))
    }

    private mutating func handle(_ token: UInt64) {
        let serial = token >> 3
        switch Source(rawValue: token & 7) {
        case .mailbox:
            for command in mailbox.take() { obey(command) }
        case .exit: exited(serial)
        case .output:
            if let pipe = processes[serial]?.output { drain(pipe) }
        case .error:
            if let pipe = processes[serial]?.error { drain(pipe) }
        case .input: feed(serial)
        case nil: break
        }
    }

    private func drain(_ pipe: OutputPipe) {
        if !pipe.drain() { pipe.close(removingFrom: mailbox.set) }
    }

    private mutating func feed(_ serial: UInt64) {
        guard let descriptor = processes[serial]?.child.input else { return }
        // The descriptor is removed from the set before it is closed, because its number can be
        // reused.
        _ = latchkey_epoll_remove(mailbox.set, descriptor)
        processes[serial]?.child.writeInput()
        if processes[serial]?.child.input != nil { listen(descriptor, .input, serial, writing: 1) }
    }

    private func listen(
        _ descriptor: Int32, _ source: Source, _ serial: UInt64, writing: Int32 = 0
    ) {
        _ = latchkey_epoll_add(mailbox.set, descriptor, writing, Self.token(source, serial))
    }

    private static func token(_ source: Source, _ serial: UInt64) -> UInt64 {
        serial << 3 | source.rawValue
    }
}

extension SupervisorLoop {
    private mutating func obey(_ command: SupervisorMailbox.Command) {
        switch command {
        case .start(let process): start(process)
        case .startAgain(let serial):
            if let process = delayed.removeValue(forKey: serial) { start(process) }
        case .stop:
            isStopping = true
            for kept in processes.values { kept.process.kill() }
            for process in delayed.values { refuse(process, code: ECANCELED) }
            delayed = [:]
        }
    }

    private mutating func start(_ process: ManagedProcess) {
        guard !isStopping, process.isWaiting else {
            return refuse(process, code: ECANCELED)
        }
        // 0 means no limit, if /proc is not available.
        let tasks = ProcessTable.tasksOfMachine().map { UInt64(max(0, $0)) }
        let userProcessesMax = tasks.map { $0 + ProcessLimits.userProcessesMore } ?? 0
        var plan = process.plan
        if let mark { plan.environment.append(mark) }
        switch SpawnedProcess.start(plan, userProcessesMax: userProcessesMax) {
        case .failure(let failure)
        where failure.isPassing && MonotonicClock.nanoseconds < process.startsUntil:
            delay(process, failure)
        case .failure(let failure): refuse(process, code: failure.code)
        case .success(let child): keep(process, child)
        }
    }

    private mutating func delay(_ process: ManagedProcess, _ failure: Errno) {
        process.isDelayed(by: failure)
        delayed[process.serial] = process
        let again = DeadlineTimer(queue: mailbox.timers) { [mailbox, serial = process.serial] in
            mailbox.post(.startAgain(serial: serial))
        }
        again.schedule(afterMilliseconds: Self.attemptPauseMilliseconds)
    }

    private func refuse(_ process: ManagedProcess, code: Int32) {
        process.kill()
        process.plan.ended(
            ProcessEnd(reason: .notStarted(code: code), residentBytesMax: 0))
    }

    private mutating func keep(_ process: ManagedProcess, _ child: SpawnedProcess) {
        watchdog?.watch(child.pid)
        let plan = process.plan
        let output = OutputPipe(child.output, sink: plan.output)
        let error = child.error.flatMap { descriptor in
            plan.error.map { OutputPipe(descriptor, sink: $0) }
        }
        // Only this thread reaps, so the pid still belongs to this child.
        let pidfd = latchkey_pidfd_open(child.pid)
        let serial = process.serial
        processes[serial] = SupervisedProcess(
            process: process, child: child, pidfd: pidfd, output: output, error: error)
        if !process.started(pid: child.pid, output: output, error: error) { process.kill() }
        listen(pidfd, .exit, serial)
        output.add(to: mailbox.set, token: Self.token(.output, serial))
        error?.add(to: mailbox.set, token: Self.token(.error, serial))
        if let input = child.input { listen(input, .input, serial, writing: 1) }
        if processes.count == 1 { nextSample = MonotonicClock.nanoseconds + Self.sampleNanoseconds }
    }

    /// The child is a zombie: its pid, and so the group's ID, cannot be reused yet.
    private mutating func exited(_ serial: UInt64) {
        guard let kept = processes[serial], !kept.hasExited else { return }
        kept.process.kill()
        kept.process.drainOutput()
        let hasReadInput = processes[serial]?.child.endInput(of: kept.process.plan) ?? true
        let end = kept.process.reaped { () -> ProcessEnd? in
            var status: Int32 = 0
            var signal: Int32 = 0
            var bytes: Int64 = 0
            guard latchkey_wait(kept.child.pid, &status, &signal, &bytes) == 1 else { return nil }
            return ProcessEnd(
                reason: signal == 0 ? .status(status) : .signal(signal), residentBytesMax: bytes,
                hasReadInput: hasReadInput)
        }
        guard let end else { return }
        _ = latchkey_epoll_remove(mailbox.set, kept.pidfd)
        close(kept.pidfd)
        if let input = processes[serial]?.child.input {
            _ = latchkey_epoll_remove(mailbox.set, input)
            close(input)
            processes[serial]?.child.input = nil
        }
        kept.process.forgetPipes(mailbox.set)
        processes[serial]?.end = end
        finish(serial)
    }

    /// The process's descendants are now children of this process (`latchkey_adopt_orphans`) and
    /// are killed; until the last one is reaped, the group's ID cannot be reused.
    private mutating func finish(_ serial: UInt64) {
        guard let kept = processes[serial], let end = kept.end else { return }
        guard latchkey_reap_group(kept.child.pid) == 0 else {
            dying.insert(serial)
            return
        }
        dying.remove(serial)
        processes[serial] = nil
        watchdog?.forget(kept.child.pid)
        endStrays()
        kept.process.plan.ended(end)
    }

    /// Kills descendants that created their own process group, once their parent has ended.
    /// Descendants in a running process's group are not killed.
    private func endStrays() {
        guard mailbox.ownsStrays else { return }
        let groups = Set(processes.values.map(\.child.pid))
        for pid in ProcessTable.adopted() where !groups.contains(pid) {
            if !groups.contains(getpgid(pid)) { _ = kill(pid, SIGKILL) }
            _ = waitpid(pid, nil, WNOHANG)
        }
    }
}
