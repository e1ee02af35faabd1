package import AuthOperations
internal import Glibc
package import Time

/// `HashingLimit` for all functions of one user on this machine, each a process of its own: as many
/// files as there are places, of which a process locks one while it hashes. The kernel unlocks it
/// when the process dies.
///
/// A place costs one `open` and two `flock`, about 5 µs beside the 20 ms or more of a hash. Where no
/// file can be made, nothing is bounded: that is so on a read-only system, which has its limits
/// elsewhere.
package struct HashingSlots: Sendable {
    static let countDefault: Int64 = 8
    static let counts: ClosedRange<Int64> = 1...256
    /// Shorter than a function's time-out, so that the caller is told to try again.
    private static let waitMillisecondsMax = 5_000
    private static let pollMilliseconds: UInt32 = 10

    private let folder: String
    private let count: Int
    private let sleep: @Sendable (Span) -> Void

    package init(folder: String, count: Int, sleep: @escaping @Sendable (Span) -> Void) {
        self.folder = folder
        self.count = count
        self.sleep = sleep
    }

    package var limit: HashingLimit {
        HashingLimit { [self] in
            var waited = 0
            while true {
                switch attempt() {
                case .entered(let descriptor): return { close(descriptor) }
                case .unusable: return {}
                case .full:
                    guard waited < Self.waitMillisecondsMax else { return nil }
                    sleep(.milliseconds(Int64(Self.pollMilliseconds)))
                    waited += Int(Self.pollMilliseconds)
                }
            }
        }
    }

    private enum Attempt {
        case entered(Int32)
        case full
        /// No file could be opened.
        case unusable
    }

    /// Begins anywhere, so that processes do not all try the same file first.
    private func attempt() -> Attempt {
        let first = Int(getpid()) % count
        var isUsable = false
        for offset in 0..<count {
            guard let descriptor = file((first + offset) % count) else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return .entered(descriptor) }
            isUsable = true
            close(descriptor)
        }
        return isUsable ? .full : .unusable
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
