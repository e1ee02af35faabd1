import AuthTestSupport

/// Decides what happens next: a job of the clients, a call at one of their seams, a message of the
/// network, a timer. The seed decides among everything that is possible.
///
/// A simulation runs on a single thread, so nothing here needs a lock.
final class Scheduler: @unchecked Sendable {
    /// Something that can happen next.
    struct Event {
        /// The process to which the event belongs. The event does not happen if the process is
        /// killed first.
        let process: Int?
        /// Whether the event can happen while a function waits for the store.
        var isMessage = false
        let happen: () -> Void
        /// Resumes the waiting task when the simulation is over.
        let abandon: () -> Void
    }

    private struct Timer {
        let number: Int
        let process: Int
        let at: Instant
        let event: Event
    }

    let clock: TestClock
    var random: SplitMix64
    /// The number of events so far, including the functions' store calls.
    private(set) var steps = 0
    /// A digest of all choices, which is equal for equal runs.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private let queue = JobQueue()
    private var possible: [Event] = []
    /// Late messages, which arrive when nothing else is possible.
    private var late: [Event] = []
    private var timers: [Timer] = []
    private var timerCount = 0
    /// Events that will never happen, although calls still wait for them.
    private var forgotten: [Event] = []
    private var killed: Set<Int> = []
    private(set) var isOver = false

    init(clock: TestClock, seed: UInt64) {
        self.clock = clock
        random = SplitMix64(seed: seed)
    }

    func collecting<Value>(_ body: () throws -> Value) rethrows -> Value {
        try queue.collecting(body)
    }

    // MARK: Possible events

    func add(_ event: Event, isLate: Bool = false) {
        if isOver { return event.abandon() }
        if let process = event.process, killed.contains(process) {
            forgotten.append(event)
        } else if isLate {
            late.append(event)
        } else {
            possible.append(event)
        }
    }

    /// Lets other events happen first. Does not return if the process is killed in the meantime.
    ///
    /// - Returns: false when the simulation is over.
    func pause(_ process: Int) async -> Bool {
        await withCheckedContinuation { waiter in
            add(
                Event(
                    process: process, happen: { waiter.resume(returning: true) },
                    abandon: { waiter.resume(returning: false) }))
        }
    }

    /// Keeps the event of a response that never arrives. At the end of the simulation its `abandon`
    /// is called.
    func forget(_ event: Event) {
        if isOver { event.abandon() } else { forgotten.append(event) }
    }

    /// - Returns: a number for `stopTimer`.
    func startTimer(_ process: Int, after span: Span, _ event: Event) -> Int {
        timerCount += 1
        if isOver {
            event.abandon()
        } else if killed.contains(process) {
            forgotten.append(event)
        } else {
            timers.append(
                Timer(number: timerCount, process: process, at: clock.now + span, event: event))
        }
        return timerCount
    }

    /// - Returns: the event of the timer, if it has not happened yet.
    func stopTimer(_ number: Int) -> Event? {
        guard let index = timers.firstIndex(where: { $0.number == number }) else { return nil }
        return timers.remove(at: index).event
    }

    /// Removes all events of the process.
    func kill(_ process: Int) {
        killed.insert(process)
        for events in [possible, late] { forgotten += events.filter { $0.process == process } }
        possible.removeAll { $0.process == process }
        late.removeAll { $0.process == process }
        forgotten += timers.filter { $0.process == process }.map(\.event)
        timers.removeAll { $0.process == process }
    }

    // MARK: Steps

    func count(_ choice: UInt64) {
        steps += 1
        digest = (digest ^ choice) &* 0x0000_0100_0000_01B3
    }

    func draw(below bound: Int) -> Int {
        bound < 2 ? 0 : Int(random.next(below: UInt64(bound)))
    }

    /// - Returns: false if nothing can happen.
    func step() -> Bool {
        let choices = queue.jobs.count + possible.count
        guard choices > 0 else { return waitForTime() }
        let choice = draw(below: choices)
        count(UInt64(choice) << 8 | UInt64(min(choices, 255)))
        if choice < queue.jobs.count {
            queue.run(at: choice)
        } else {
            take(choice - queue.jobs.count).happen()
        }
        return true
    }

    /// Runs another function to its end, while a function waits for the store.
    func deliverAnotherMessage() {
        let messages = possible.indices.filter { possible[$0].isMessage }
        guard !messages.isEmpty else { return }
        let choice = messages[draw(below: messages.count)]
        count(UInt64(choice) << 8 | 1)
        take(choice).happen()
    }

    /// While a function waits for the store, other events happen for some steps. Functions that
    /// begin then run nested in it.
    func letOthersGoOn() {
        for _ in 0...draw(below: 60) {
            guard !queue.jobs.isEmpty || !possible.isEmpty, step() else { return }
        }
    }

    private func take(_ index: Int) -> Event {
        possible.swapAt(index, possible.count - 1)
        return possible.removeLast()
    }

    private func waitForTime() -> Bool {
        let next = timers.indices.min {
            (timers[$0].at, timers[$0].number) < (timers[$1].at, timers[$1].number)
        }
        if !late.isEmpty, next == nil || random.happens(50) {
            let event = late.remove(at: draw(below: late.count))
            count(2)
            event.happen()
            return true
        }
        guard let next else { return false }
        let timer = timers.remove(at: next)
        if timer.at > clock.now { clock.advance(by: timer.at - clock.now) }
        count(3)
        timer.event.happen()
        return true
    }

    /// Advances the time, with all events until then.
    func pass(_ span: Span) {
        let end = clock.now + span
        while !queue.jobs.isEmpty || !possible.isEmpty || timers.contains(where: { $0.at <= end }) {
            guard step() else { break }
        }
        if clock.now < end { clock.advance(by: end - clock.now) }
    }

    /// Delivers the late messages.
    func release() {
        possible += late
        late = []
    }

    /// Ends all waiting events, so that no task remains.
    func end() {
        isOver = true
        // An abandoned event may add others, which must end as well.
        while true {
            let waiting = possible + late + forgotten + timers.map(\.event)
            (possible, late, forgotten, timers) = ([], [], [], [])
            for event in waiting { event.abandon() }
            guard !waiting.isEmpty || !queue.jobs.isEmpty else { return }
            while !queue.jobs.isEmpty { queue.run(at: queue.jobs.count - 1) }
        }
    }
}
