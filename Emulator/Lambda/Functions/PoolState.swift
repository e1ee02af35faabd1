internal import EmulatorBase

/// The scheduling state of a pool, without processes or sockets. The pool calls it while it holds
/// its lock, and performs the returned actions after releasing it.
struct PoolState: Sendable {
    enum Phase: Sendable {
        case starting
        case idle(ResponseSlot, since: UInt64)
        case busy(Invocation, started: UInt64)
        /// The process has responded to that invocation, and will ask for the next one. After a
        /// response that was too large, the runtime may still report the error.
        case answered(requestID: String, wasRefused: Bool)
    }

    struct Member: Sendable {
        let instance: FunctionInstance
        var phase = Phase.starting
        /// Whether the executable or configuration of the process has been replaced.
        var isStale = false
        /// The error that it reported at initialisation.
        var initError: [UInt8]?
        /// The duration is set until the first invocation has reported it.
        var initDuration: UInt64?
    }

    /// Whether a process serves one invocation only.
    let isSingleUse: Bool
    var members: [UInt32: Member] = [:]
    var waiting: [Invocation] = []
    /// The idle environments. The most recently used one is last, so that the others can be
    /// retired.
    private(set) var idle: [UInt32] = []
    private(set) var busyCount = 0
    var retirementIsDue = false
    /// The duration of an invocation as a moving average, and the time of the last response.
    private var usualService: UInt64 = 0
    private var lastAnswer: UInt64 = 0
    private var lastGrowth: UInt64 = 0

    private static let fastPatienceFactor: UInt64 = 20

    init(isSingleUse: Bool = false) { self.isSingleUse = isSingleUse }

    var inFlight: Int { busyCount + waiting.count }

    /// Assigns an invocation to an idle process, if there is one.
    mutating func assign(_ invocation: Invocation, now: UInt64) -> (FunctionInstance, ResponseSlot)?
    {
        while let host = idle.popLast() {
            guard let member = members[host], case .idle(let slot, _) = member.phase else {
                continue
            }
            begin(invocation, host, now: now)
            return (member.instance, slot)
        }
        return nil
    }

    private mutating func begin(_ invocation: Invocation, _ host: UInt32, now: UInt64) {
        members[host]?.phase = .busy(invocation, started: now)
        busyCount += 1
    }

    enum Next {
        case assign(Invocation)
        case wait
        case retire
        case refuse
    }

    /// A process asks for the next invocation.
    mutating func next(_ instance: FunctionInstance, _ slot: ResponseSlot, now: UInt64) -> Next {
        guard let member = members[instance.host] else { return .retire }
        switch member.phase {
        case .starting: members[instance.host]?.initDuration = now - instance.started
        case .idle, .answered: break
        case .busy: return .refuse
        }
        idle.removeAll { $0 == instance.host }
        if member.isStale {
            members[instance.host] = nil
            return .retire
        }
        guard !waiting.isEmpty else {
            members[instance.host]?.phase = .idle(slot, since: now)
            idle.append(instance.host)
            return .wait
        }
        let invocation = waiting.removeFirst()
        begin(invocation, instance.host, now: now)
        return .assign(invocation)
    }

    enum Answer {
        case take(Invocation, started: UInt64, initDuration: UInt64?)
        case accept
        case wrongID
        case wrongState
    }

    /// A process responds, with a result or an error.
    mutating func answer(
        _ instance: FunctionInstance, _ requestID: Substring, isError: Bool, isRefused: Bool,
        now: UInt64
    ) -> Answer {
        guard let member = members[instance.host] else { return .wrongState }
        switch member.phase {
        case .busy(let invocation, let started)
        where invocation.requestID.utf8.elementsEqual(requestID.utf8):
            members[instance.host]?.phase = .answered(
                requestID: invocation.requestID, wasRefused: isRefused)
            members[instance.host]?.initDuration = nil
            if isSingleUse { members[instance.host] = nil }
            busyCount -= 1
            lastAnswer = now
            usualService = (7 * usualService + (now - started)) / 8
            return .take(invocation, started: started, initDuration: member.initDuration)
        case .answered(let last, let wasRefused) where last.utf8.elementsEqual(requestID.utf8):
            return isError && wasRefused ? .accept : .wrongState
        case .starting: return .wrongState
        case .idle, .busy, .answered: return .wrongID
        }
    }

    /// Removes a process; its invocation is to be failed.
    mutating func remove(_ instance: FunctionInstance) -> (member: Member, victim: Invocation?)? {
        guard let member = members.removeValue(forKey: instance.host) else { return nil }
        switch member.phase {
        case .starting: return (member, waiting.isEmpty ? nil : waiting.removeFirst())
        case .busy(let invocation, _):
            busyCount -= 1
            return (member, invocation)
        case .idle:
            idle.removeAll { $0 == instance.host }
            return (member, nil)
        case .answered: return (member, nil)
        }
    }

    /// Removes processes that could not be started yet, if no request waits for them.
    mutating func takeDelayed() -> [Member] {
        guard waiting.isEmpty else { return [] }
        var leaving: [Member] = []
        for (host, member) in members {
            guard case .starting = member.phase, member.instance.isDelayed else { continue }
            leaving.append(member)
            members[host] = nil
        }
        return leaving
    }

    /// Marks all processes as stale. Idle ones are removed now, the others when they ask for work.
    mutating func makeStale() -> [Member] {
        var leaving: [Member] = []
        for (host, member) in members {
            if case .idle = member.phase {
                leaving.append(member)
                members[host] = nil
            } else {
                members[host]?.isStale = true
            }
        }
        idle = []
        return leaving
    }

    /// Removes processes that were idle for too long; returns when the next one will be due.
    mutating func retire(now: UInt64, idleMax: UInt64) -> (leaving: [Member], next: UInt64?) {
        var leaving: [Member] = []
        var next: UInt64?
        for host in idle {
            guard let member = members[host], case .idle(_, let since) = member.phase else {
                continue
            }
            if since + idleMax <= now {
                leaving.append(member)
                members[host] = nil
            } else {
                next = min(next ?? .max, since + idleMax)
            }
        }
        idle.removeAll { members[$0] == nil }
        retirementIsDue = next != nil
        return (leaving, next)
    }

    /// The number of processes to start, and when to check again.
    ///
    /// A request that has waited for long needs another process, unless the function is so fast
    /// that the machine is the bottleneck: another process would only take CPU time from the
    /// others. For the same reason a pool at most doubles at a time.
    mutating func missing(
        now: UInt64, concurrencyMax: Int, withoutWait: Int, patience: UInt64
    ) -> (count: Int, askAgain: UInt64?) {
        guard !waiting.isEmpty else { return (0, nil) }
        let (starting, soonFree) = comingCounts
        guard !isSingleUse else {
            return (
                max(0, min(waiting.count - starting, concurrencyMax - members.count)), nil
            )
        }
        let isFast = usualService < patience && now < lastAnswer + patience
        let bearable = isFast ? patience * Self.fastPatienceFactor : patience
        let overdue = waiting.firstIndex { now < $0.submitted + bearable } ?? waiting.count
        var count = overdue - starting
        if now < lastGrowth + patience { count = 0 }
        count = min(count, max(withoutWait, members.count))
        if members.count < withoutWait {
            count = max(
                count, min(withoutWait - members.count, waiting.count - starting - soonFree))
        }
        count = max(0, min(count, concurrencyMax - members.count))
        if count > 0 { lastGrowth = now }
        let isSettled = overdue == waiting.count && overdue <= starting + count
        return (count, isSettled ? nil : now + patience)
    }

    private var comingCounts: (starting: Int, soonFree: Int) {
        var starting = 0
        var soonFree = 0
        for member in members.values where !member.isStale {
            switch member.phase {
            case .starting: starting += 1
            case .answered: soonFree += 1
            case .idle, .busy: break
            }
        }
        return (starting, soonFree)
    }
}
