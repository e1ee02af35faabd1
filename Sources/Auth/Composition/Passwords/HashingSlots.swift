package import AuthOperations
internal import Glibc
internal import Synchronization
package import Time

/// `HashingLimit` for all functions of one user on this machine, each a process of its own: as many
/// files as there are places, of which a process locks one while it hashes. The kernel unlocks it
/// when the process dies.
///
/// A place costs one `open` and two `flock`, about 5 µs beside the 20 ms or more of a hash. A place
/// whose file cannot be had, on a read-only system or because another user has made it, is bounded
/// within this process alone.
package struct HashingSlots: Sendable {
    static let countDefault: Int64 = 8
    static let counts: ClosedRange<Int64> = 1...256
    /// Shorter than a function's time-out, so that the caller is told to try again.
    private static let waitMillisecondsMax = 5_000
    private static let pollMilliseconds: UInt32 = 10

    private let folder: String
    private let count: Int
    private let taken: Places
    private let sleep: @Sendable (Span) -> Void

    package init(folder: String, count: Int, sleep: @escaping @Sendable (Span) -> Void) {
        self.folder = folder
        self.count = count
        taken = Places()
        self.sleep = sleep
    }

    package var limit: HashingLimit { HashingLimit { self.enter() } }

    /// Waits for a place and returns what gives it back; nil if none was free in time.
    package func enter() -> (@Sendable () -> Void)? {
        var waited = 0
        while true {
            if let place = takePlace() { return place }
            guard waited < Self.waitMillisecondsMax else { return nil }
            sleep(.milliseconds(Int64(Self.pollMilliseconds)))
            waited += Int(Self.pollMilliseconds)
        }
    }

    /// Begins anywhere, so that processes do not all try the same file first.
    private func takePlace() -> (@Sendable () -> Void)? {
        let first = Int(getpid()) % count
        for offset in 0..<count {
            let index = (first + offset) % count
            guard taken.take(index) else { continue }
            let descriptor = file(index)
            if let descriptor, flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                close(descriptor)
                taken.giveBack(index)
                continue
            }
            return { [taken] in
                if let descriptor { close(descriptor) }
                taken.giveBack(index)
            }
        }
        return nil
    }

    /// Only a file of our own: in a folder that others can write to, theirs could hold every place.
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

/// The places that this process has.
private final class Places: Sendable {
    private let indices = Mutex<Set<Int>>([])

    func take(_ index: Int) -> Bool { indices.withLock { $0.insert(index).inserted } }
    func giveBack(_ index: Int) { indices.withLock { _ = $0.remove(index) } }
}
