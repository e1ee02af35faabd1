package import AuthOperations
internal import Glibc
internal import Threads
package import Time

/// `HashingLimit` for all processes of one user on this machine: there is a file for each slot,
/// which a process locks while it hashes. The kernel releases the lock when the process dies.
///
/// A slot costs one `open` and two `flock` calls, about 5 µs compared with the 20 ms or more of a
/// hash. If a slot's file cannot be opened, because the file system is read-only or another user
/// created the file, the slot is limited only within this process.
package struct HashingSlots: Sendable {
    static let counts: ClosedRange<Int64> = 1...256
    /// There are as many slots as processors. With eight hashes at once on two processors, the
    /// hashes take turns, and each finds its memory gone from the caches, which costs 31 ms of
    /// processor time instead of 23. There are at most eight slots, because a container sees all
    /// processors of its machine and has little memory. The number is determined at the first hash
    /// and not at the start, because the C library reads a file for it.
    private static let countDefault = min(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 8)
    /// The wait is shorter than a function's timeout, so that the caller gets a response that says
    /// to try again.
    package static let waitMillisecondsMax = 5_000
    private static let pollMilliseconds = 5

    private let folder: String
    private let count: Int?
    private let taken: Places
    private let waitMillisecondsMax: Int
    private let sleep: @Sendable (Span) -> Void

    package init(
        folder: String, count: Int?, waitMillisecondsMax: Int = waitMillisecondsMax,
        sleep: @escaping @Sendable (Span) -> Void
    ) {
        self.folder = folder
        self.count = count
        taken = Places()
        self.waitMillisecondsMax = waitMillisecondsMax
        self.sleep = sleep
    }

    package var limit: HashingLimit {
        HashingLimit(slots: { count ?? Self.countDefault }) { self.enter() }
    }

    /// The number of threads of this process that wait for a slot.
    package var waitingCount: Int { taken.waitingCount }

    /// Waits for a slot and returns the closure that releases it; nil if none became free in time.
    package func enter() -> (@Sendable () -> Void)? {
        // The thread counts as waiting from here to the end of the hash.
        let waiting = Waiting.begin()
        guard let place = waitForPlace() else {
            waiting?.end()
            return nil
        }
        return {
            place()
            waiting?.end()
        }
    }

    /// Callers get slots in the order in which they came, so that a caller who has waited for long
    /// is not overtaken and then refused.
    private func waitForPlace() -> (@Sendable () -> Void)? {
        let turn = taken.join()
        defer { taken.leave(turn) }
        var waitedMicroseconds = 0
        while true {
            let (isNext, changes) = taken.look(turn)
            if isNext, let place = takePlace() { return place }
            guard waitedMicroseconds < waitMillisecondsMax * 1_000 else { return nil }
            // Only a slot of this process can wake this thread when it becomes free.
            if let microseconds = taken.wait(
                turn, since: changes, milliseconds: Self.pollMilliseconds)
            {
                waitedMicroseconds += microseconds
            } else {
                sleep(.milliseconds(Int64(Self.pollMilliseconds)))
                waitedMicroseconds += Self.pollMilliseconds * 1_000
            }
        }
    }

    /// Starts at a file that depends on the process, so that processes do not all try the same one
    /// first.
    private func takePlace() -> (@Sendable () -> Void)? {
        let count = count ?? Self.countDefault
        let first = Int(getpid()) % count
        for offset in 0..<count {
            let index = (first + offset) % count
            guard taken.take(index) else { continue }
            let descriptor = file(index)
            if let descriptor, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                close(descriptor)
                taken.forget(index)
                continue
            }
            return { [taken] in
                if let descriptor {
                    // Closing does not unlock while a process that has just been forked, and is
                    // about to execute a program, has a copy of the descriptor.
                    flock(descriptor, LOCK_UN)
                    close(descriptor)
                }
                taken.giveBack(index)
            }
        }
        return nil
    }

    /// Uses only files of this user: in a folder that others can write to, their files could block
    /// every slot.
    private func file(_ index: Int) -> Int32? {
        let path = "\(folder)/latchkey-\(getuid())-hashing-\(index)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == getuid(),
            status.st_mode & S_IFMT == S_IFREG
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// The slots that this process holds, and the threads that wait for one.
private final class Places: @unchecked Sendable {
    // Unchecked Sendable: the variables are only used while `lock` is held.

    final class Turn {
        fileprivate let comes = Condition()
    }

    private let lock = Lock()
    private var indices: [Int] = []
    private var queue: [Turn] = []
    /// How often a slot became free or a turn ended.
    private var changes = 0

    func take(_ index: Int) -> Bool {
        lock.during {
            guard !indices.contains(index) else { return false }
            indices.append(index)
            return true
        }
    }

    func giveBack(_ index: Int) {
        lock.during {
            indices.removeAll { $0 == index }
            tellFirst()
        }
    }

    /// Removes a slot that another process holds.
    func forget(_ index: Int) { lock.during { indices.removeAll { $0 == index } } }

    var waitingCount: Int { lock.during { queue.count } }

    func join() -> Turn {
        let turn = Turn()
        lock.during { queue.append(turn) }
        return turn
    }

    func leave(_ turn: Turn) {
        lock.during {
            queue.removeAll { $0 === turn }
            tellFirst()
        }
    }

    private func tellFirst() {
        changes += 1
        queue.first?.comes.signal()
    }

    func look(_ turn: Turn) -> (isNext: Bool, changes: Int) {
        lock.during { (queue.first === turn, changes) }
    }

    /// Waits unless something has changed since `changes`. Returns how many microseconds it waited,
    /// or nil without waiting if this process holds no slot.
    func wait(_ turn: Turn, since changes: Int, milliseconds: Int) -> Int? {
        lock.during {
            guard changes == self.changes else { return 0 }
            let isNext = queue.first === turn
            if isNext, indices.isEmpty { return nil }
            let stopwatch = Stopwatch()
            // The first in the queue wakes up more often, because another process may free its
            // slot.
            turn.comes.wait(lock, milliseconds: isNext ? milliseconds : 20 * milliseconds)
            return Int(stopwatch.nanoseconds / 1_000)
        }
    }
}
