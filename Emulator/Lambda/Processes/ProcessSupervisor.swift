internal import CPosix
internal import Glibc
internal import Synchronization
internal import Threads

/// Starts, monitors and reaps all children, on its own thread.
///
/// It is one thread, because `PR_SET_PDEATHSIG` is sent when the thread that started the child
/// ends: if a pool's thread ended, its children would be killed.
package final class ProcessSupervisor: Sendable {
    private let mailbox: SupervisorMailbox
    private let serials = Atomic<UInt64>(0)
    private let isStopped = Atomic<Bool>(false)
    private let thread: PosixThread

    /// `ownsStrays` is for a program that starts all children with its supervisor and none on its
    /// first thread. Any other child is then a descendant that left its group, and is killed.
    package init(ownsStrays: Bool = false) throws(ProcessFailure) {
        // Writing to a child that does not read its input must not end this process.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = latchkey_adopt_orphans()
        let mailbox = try SupervisorMailbox(ownsStrays: ownsStrays)
        self.mailbox = mailbox
        do throws(ThreadFailure) {
            thread = try PosixThread {
                var loop = SupervisorLoop(mailbox)
                loop.run()
            }
        } catch {
            throw .noEventLoop(code: error.code)
        }
    }

    deinit { stop() }

    /// Starts a process. Any result, including a failure to start, is reported to `plan.ended`;
    /// temporary failures are retried first.
    package func start(_ plan: ProcessConfiguration) -> ManagedProcess {
        let serial = serials.add(1, ordering: .relaxed).newValue
        let patience = UInt64(plan.limits.startMillisecondsMax) * 1_000_000
        let process = ManagedProcess(
            serial: serial, plan: plan, startsUntil: MonotonicClock.nanoseconds + patience)
        mailbox.post(.start(process))
        return process
    }

    /// Whether any process is waiting for another attempt to start.
    package var isDelaying: Bool { mailbox.delayedCount.load(ordering: .relaxed) > 0 }

    /// A timer without a deadline.
    package func timer(_ action: @escaping @Sendable () -> Void) -> DeadlineTimer {
        DeadlineTimer(queue: mailbox.timers, action: action)
    }

    /// Kills every process, and returns when all have ended. Do not call this from a callback.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        mailbox.post(.stop)
        if !thread.isCurrent { thread.join() }
    }
}

/// Requests of other threads to the supervisor's thread.
final class SupervisorMailbox: Sendable {
    enum Command: Sendable {
        case start(ManagedProcess)
        case startAgain(serial: UInt64)
        case stop
    }

    /// The epoll set, and the eventfd in it that wakes the thread; its token is 0.
    let set: Int32
    let timers: DeadlineTimerQueue
    let ownsStrays: Bool
    let delayedCount = Atomic<Int>(0)
    private let event: Int32
    private let commands = Mutex<[Command]>([])

    init(ownsStrays: Bool) throws(ProcessFailure) {
        let set = latchkey_epoll_open()
        let event = latchkey_event_open()
        guard set >= 0, event >= 0, latchkey_epoll_add(set, event, 0, 0) == 0 else {
            throw .noEventLoop(code: -min(set, event))
        }
        self.ownsStrays = ownsStrays
        self.set = set
        self.event = event
        timers = DeadlineTimerQueue { Self.wake(event) }
    }

    deinit {
        close(event)
        close(set)
    }

    func post(_ command: Command) {
        commands.withLock { $0.append(command) }
        Self.wake(event)
    }

    func take() -> [Command] {
        var count: UInt64 = 0
        _ = read(event, &count, 8)
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }

    private static func wake(_ event: Int32) {
        var one: UInt64 = 1
        _ = write(event, &one, 8)
    }
}
