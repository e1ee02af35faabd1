import Foundation
import IdentityProviders
import JSON
import KeyValueStore
import Synchronization
import Testing
import Time

@Suite("KeySetCache, many processes")
struct SingleFlightTests {
    let world = World()

    private var token: String {
        IDToken.apple().with("iat", .number(world.clock.now.seconds)).text
    }

    private func otherToken() -> String {
        IDToken.apple(key: .otherRSA).with("iat", .number(world.clock.now.seconds)).text
    }

    @Test func `while one process refreshes the others use the stale set`() {
        #expect(world.verify(token, Configured.apple).failure == nil)
        world.clock.advance(by: .hours(2))
        let token = token
        let others = Mutex<[IdentityFailure?]>([])
        world.provider.during { [world] in
            for _ in 0..<5 {
                let verdict = world.verify(token, Configured.apple).failure
                others.withLock { $0.append(verdict) }
            }
        }
        #expect(world.verify(token, Configured.apple).failure == nil)
        #expect(others.withLock { $0 } == [nil, nil, nil, nil, nil])
        #expect(world.provider.fetches == 2)
        #expect(world.sleeps == 0)
    }

    @Test func `without a set the others wait for the one that fetches`() async {
        let (world, token) = (world, token)
        let othersMax = 8
        let (waiting, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        world.provider.during { for _ in 0..<othersMax { waiting.wait() } }
        let verdicts = await withTaskGroup(of: IdentityFailure?.self) { group in
            group.addTask {
                await onThread {
                    defer { for _ in 0..<othersMax { done.signal() } }
                    return world.verify(token, Configured.apple).failure
                }
            }
            while world.provider.fetches == 0 { await Task.yield() }
            // The fetch is under way and ends when each of the others has found the lease taken;
            // their first pause ends with it.
            for _ in 0..<othersMax {
                group.addTask {
                    await onThread {
                        let process = world.process(sleep: {
                            waiting.signal()
                            done.wait()
                        })
                        return world.verify(token, Configured.apple, by: process).failure
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(world.sleeps == othersMax)
        #expect(verdicts == Array(repeating: nil, count: othersMax + 1))
        #expect(world.provider.fetches == 1)
    }

    @Test func `a process that waited long enough fetches on its own`() {
        let token = token
        let inner = Mutex<IdentityFailure??>(nil)
        world.provider.during { [world] in
            let verdict = world.verify(token, Configured.apple).failure
            inner.withLock { $0 = verdict }
        }
        #expect(world.verify(token, Configured.apple).failure == nil)
        #expect(inner.withLock { $0 } == .some(nil))
        #expect(world.sleeps == 20)
        #expect(world.provider.fetches == 2)
    }

    @Test func `a new key is fetched by one process while the others wait`() {
        #expect(world.verify(token, Configured.apple).failure == nil)
        world.clock.advance(by: .minutes(2))
        world.provider[World.appleKeysURL] = .keys([.rsa, .otherRSA])
        let (old, new) = (token, otherToken())
        let inner = Mutex<[IdentityFailure?]>([])
        world.provider.during { [world] in
            // On the same stack nobody can finish the fetch: the old key works, the new one is
            // told to try again, and neither fetches.
            let verdicts = [old, new].map { world.verify($0, Configured.apple).failure }
            inner.withLock { $0 = verdicts }
        }
        #expect(world.verify(new, Configured.apple).failure == nil)
        #expect(inner.withLock { $0 } == [nil, .keysUnavailable(.fetchInProgress)])
        #expect(world.provider.fetches == 2)
        #expect(world.verify(new, Configured.apple).failure == nil)
    }

    @Test func `a holder that died is replaced when its lease runs out`() throws {
        #expect(world.verify(token, Configured.apple).failure == nil)
        let lease = try #require(world.store.puts.first { $0.attributes["failed"] != nil })
        world.clock.advance(by: .hours(2))
        var abandoned = lease
        abandoned.expiresAt = world.clock.now + .seconds(15)
        try world.store.write([.put(abandoned, when: [])])
        #expect(world.verify(token, Configured.apple).failure == nil)
        #expect(world.provider.fetches == 1)
        world.clock.advance(by: .seconds(15))
        #expect(world.verify(token, Configured.apple).failure == nil)
        #expect(world.provider.fetches == 2)
    }

    @Test func `a waiter takes over as soon as the lease is free`() throws {
        let seen = World()
        #expect(seen.verify(token, Configured.apple).failure == nil)
        var lease = try #require(seen.store.puts.first { $0.attributes["failed"] != nil })
        lease.expiresAt = world.clock.now + .seconds(15)
        try world.store.write([.put(lease, when: [])])
        let key = lease.key
        let process = world.process(sleep: { [world] in
            if world.sleeps == 3 { try? world.store.write([.delete(key, when: [])]) }
        })
        #expect(world.verify(token, Configured.apple, by: process).failure == nil)
        #expect(world.sleeps == 3)
        #expect(world.provider.fetches == 1)
    }

    @Test func `a store that takes no writes is reported before anything is fetched`() {
        world.store.health = .readOnly
        #expect(
            world.verify(token, Configured.apple).failure == .keysUnavailable(.storeUnavailable))
        #expect(world.provider.fetches == 0)
    }
}

/// Runs blocking work off the cooperative pool.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
