internal import Bytes
internal import EmulatorDynamoDB
internal import EmulatorGateway
internal import EmulatorLambda
internal import JSON
internal import Synchronization
internal import Time

/// Runs the template's schedules by the emulator's clock, deletes expired items, and renews the
/// functions' credentials before they expire.
final class Scheduler: Sendable {
    private let services: EmulatorServices
    private let startedAt: Instant
    private let checkedUntil: Mutex<Instant>
    private let timer: Mutex<RepeatingTimer?> = Mutex(nil)

    private static let tickMilliseconds = 500
    private static let sweepInterval = Span.minutes(1)
    private static let renewalInterval = Span.days(3)

    init(_ services: EmulatorServices) {
        self.services = services
        startedAt = services.clock.now
        checkedUntil = Mutex(services.clock.now)
    }

    func start() {
        let sweeps = Interval(Self.sweepInterval, since: startedAt)
        let renewals = Interval(Self.renewalInterval, since: startedAt)
        timer.withLock { timer in
            timer = RepeatingTimer(everyMilliseconds: Self.tickMilliseconds) { [weak self] in
                guard let self else { return }
                let now = services.clock.now
                fireDue(until: now)
                if sweeps.isOver(at: now) { expire(at: now) }
                if renewals.isOver(at: now) { services.renewCredentials() }
            }
        }
    }

    func stop() { timer.withLock { $0?.stop() } }

    private func expire(at now: Instant) {
        do {
            try services.tables.expireNow(at: now)
        } catch {
            services.log.note("could not delete expired items: \(error)")
        }
    }

    private func fireDue(until now: Instant) {
        let since = checkedUntil.withLock { checked in
            defer { checked = now }
            return checked
        }
        for schedule in services.stack?.loaded.template.schedules ?? [] where schedule.isEnabled {
            let next = schedule.expression.next(after: since, start: startedAt)
            // A schedule runs at most once, however far the clock was moved: EventBridge does not
            // repeat missed runs.
            if let next, next <= now { fire(schedule) { _ in } }
        }
    }

    func fire(
        _ schedule: ScheduleResource, completion: @escaping @Sendable (InvocationResult) -> Void
    ) {
        let event = schedule.event(
            at: services.clock.now, account: AWSAccount.id, region: AWSAccount.region,
            random: services.random)
        services.functions.invoke(
            schedule.function.text,
            InvocationRequest(payload: event.serialized, isScheduled: true),
            completion: completion)
    }
}

/// A recurring interval.
private final class Interval: Sendable {
    private let length: Span
    private let last: Mutex<Instant>

    init(_ length: Span, since start: Instant) {
        self.length = length
        last = Mutex(start)
    }

    /// Whether the interval has passed since this was last true. If the clock is set back, the
    /// interval starts again.
    func isOver(at now: Instant) -> Bool {
        last.withLock { last in
            if now < last { last = now }
            guard now - last >= length else { return false }
            last = now
            return true
        }
    }
}
