/// A store in memory that fails on demand.
actor FaultyStore: SessionStore {
    private let base: MemoryStore
    var loadError: StoreError?
    var replaceError: StoreError?
    var lockError: StoreError?
    private(set) var writes: [Data?] = []
    /// Holds up the next read.
    private var readGate: Gate?

    init(_ base: MemoryStore = MemoryStore()) { self.base = base }

    func fail(load: StoreError? = nil, replace: StoreError? = nil, lock: StoreError? = nil) {
        (loadError, replaceError, lockError) = (load, replace, lock)
    }

    func delayRead(_ gate: Gate) { readGate = gate }

    func load() async throws(StoreError) -> Data? {
        if let gate = readGate {
            readGate = nil
            await gate.wait()
        }
        if let loadError { throw loadError }
        return await base.load()
    }

    func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
        if let replaceError { throw replaceError }
        let isReplaced = await base.replace(expected, with: new)
        if isReplaced { writes.append(new) }
        return isReplaced
    }

    func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        if let lockError { throw lockError }
        return try await base.lockRefresh(waiting: waiting)
    }
}

extension SessionStore {
    /// The stored record, as text.
    func text() async throws -> String {
        String(decoding: try await load() ?? Data(), as: UTF8.self)
    }
}
