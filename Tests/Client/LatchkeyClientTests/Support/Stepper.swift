import Foundation
import LatchkeyClient

/// Starts an action at the nth call of a seam.
actor Stepper {
    private let point: Int
    private var action: (@Sendable () async throws -> Void)?
    private var calls = 0
    private var task: Task<Void, any Error>?

    init(at point: Int) { self.point = point }

    func arm(_ action: @escaping @Sendable () async throws -> Void) { self.action = action }

    func step() async {
        guard let action else { return }
        defer { calls += 1 }
        guard calls == point, task == nil else { return }
        self.action = nil
        task = Task { try await action() }
        // It cannot always end first: it may need what the caller holds.
        for _ in 0..<50 { await Task.yield() }
    }

    /// Runs the action now, if the point was not reached.
    func finish() async throws {
        if let task {
            try await task.value
        } else if let action {
            self.action = nil
            try await action()
        }
    }
}

/// A step before and after each call.
struct SteppedStore: SessionStore {
    private let base = MemoryStore()
    private let stepper: Stepper

    init(_ stepper: Stepper) { self.stepper = stepper }

    func load() async throws(StoreError) -> Data? {
        await stepper.step()
        let data = await base.load()
        await stepper.step()
        return data
    }

    func replace(_ expected: Data?, with new: Data?) async throws(StoreError) -> Bool {
        await stepper.step()
        let isReplaced = await base.replace(expected, with: new)
        await stepper.step()
        return isReplaced
    }

    func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        await stepper.step()
        let lock = try await base.lockRefresh(waiting: waiting)
        await stepper.step()
        return lock
    }
}

struct SteppedTransport: Transport {
    private let stepper: Stepper
    private let base: FakeServer

    init(_ stepper: Stepper, _ base: FakeServer) {
        self.stepper = stepper
        self.base = base
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await stepper.step()
        let answer = try await base.send(request)
        await stepper.step()
        return answer
    }
}
