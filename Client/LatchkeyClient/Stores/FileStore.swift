internal import Dispatch
public import Foundation

/// Keeps the session in a file in its own folder, for Linux and for tools.
///
/// Processes may share the folder, on a local file system. Only their owner can read the folder and
/// its files. Files of another user and symbolic links are refused.
public struct FileStore: SessionStore {
    private let folder: PrivateFolder
    private let clock: any SessionClock
    /// Uses its own queue, because a slow disk must not block the threads of Swift concurrency.
    private let queue = DispatchQueue(label: "latchkey.file-store")

    /// - Parameters:
    ///   - folder: is made at the first write. Its parent folder must exist.
    ///   - clock: measures the wait for other processes.
    public init(folder: URL, clock: any SessionClock = SystemClock()) {
        self.folder = PrivateFolder(path: folder.path)
        self.clock = clock
    }

    public func load() async throws(StoreError) -> Data? {
        try await run { folder throws(StoreError) in
            try folder.isPresent() ? folder.read("session") : nil
        }
    }

    public func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
        let lock = try await lockWrite()
        defer { lock.release() }
        return try await run { folder throws(StoreError) in
            guard try folder.read("session") == expected else { return false }
            if let new {
                try folder.write(new, to: "session")
            } else {
                try folder.remove("session")
            }
            return true
        }
    }

    public func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        try await lock("refresh.lock", waiting: waiting)
    }

    func lockWrite() async throws(StoreError) -> any RefreshLock {
        try await lock("write.lock", waiting: .seconds(10))
    }

    /// Locks a separate file, which is never renamed or removed, so that all processes see the same
    /// one.
    private func lock(
        _ name: String, waiting: Duration
    ) async throws(StoreError) -> FileLock {
        let file = try await run { folder throws(StoreError) in
            try folder.make()
            return try folder.file(name, flags: O_RDWR | O_CREAT)
        }
        let start = clock.uptime()
        var pause = Duration.milliseconds(2)
        while true {
            if try await run({ _ throws(StoreError) in try file.lock() }) {
                return FileLock(file: file)
            }
            guard clock.uptime() - start < waiting else { throw .busy }
            do { try await clock.sleep(for: pause) } catch { throw .busy }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (PrivateFolder) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            queue.async { [folder] in
                continuation.resume(
                    returning: Result { () throws(StoreError) in try body(folder) })
            }
        }
        return try result.get()
    }
}

/// Closing the descriptor also releases the lock, at the latest when the process ends.
private struct FileLock: RefreshLock {
    let file: Descriptor

    func release() { file.unlock() }
}
