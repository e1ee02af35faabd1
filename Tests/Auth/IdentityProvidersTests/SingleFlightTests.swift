import Foundation

@Suite("KeySetCache, many processes")
struct SingleFlightTests {
    let fixture = ProviderFixture()

    private var token: String {
        IDToken.apple().with("iat", .number(fixture.clock.now.seconds)).text
    }

    private func otherToken() -> String {
        IDToken.apple(key: .otherRSA).with("iat", .number(fixture.clock.now.seconds)).text
    }

    @Test func `while one process refreshes the others use the stale set`() {
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        fixture.clock.advance(by: .hours(2))
        let token = token
        let others = Mutex<[IdentityFailure?]>([])
        fixture.provider.during { [fixture] in
            for _ in 0..<5 {
                let verdict = fixture.verify(token, Configured.apple).failure
                others.withLock { $0.append(verdict) }
            }
        }
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        expectEqual(others.withLock { $0 }, [nil, nil, nil, nil, nil])
        expectEqual(fixture.provider.fetches, 2)
        expectEqual(fixture.sleeps, 0)
    }

    @Test func `without a cached set the others wait for the one that fetches`() async {
        let (fixture, token) = (fixture, token)
        let othersMax = 8
        let (waiting, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        fixture.provider.during { for _ in 0..<othersMax { waiting.wait() } }
        let verdicts = await withTaskGroup(of: IdentityFailure?.self) { group in
            group.addTask {
                await onThread {
                    defer { for _ in 0..<othersMax { done.signal() } }
                    return fixture.verify(token, Configured.apple).failure
                }
            }
            while fixture.provider.fetches == 0 { await Task.yield() }
            // The fetch is in progress and ends when all others have found the lease taken; their
            // first pause ends with it.
            for _ in 0..<othersMax {
                group.addTask {
                    await onThread {
                        let process = fixture.process(sleep: {
                            waiting.signal()
                            done.wait()
                        })
                        return fixture.verify(token, Configured.apple, by: process).failure
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(fixture.sleeps, othersMax)
        expectEqual(verdicts, Array(repeating: nil, count: othersMax + 1))
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test func `a process fetches the keys itself after waiting long enough`() {
        let token = token
        let inner = Mutex<IdentityFailure??>(nil)
        fixture.provider.during { [fixture] in
            let verdict = fixture.verify(token, Configured.apple).failure
            inner.withLock { $0 = verdict }
        }
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        expectEqual(inner.withLock { $0 }, .some(nil))
        expectEqual(fixture.sleeps, 20)
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `a new key is fetched by one process while the others wait`() {
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        fixture.clock.advance(by: .minutes(2))
        fixture.provider[ProviderFixture.appleKeysURL] = .keys([.rsa, .otherRSA])
        let (old, new) = (token, otherToken())
        let inner = Mutex<[IdentityFailure?]>([])
        fixture.provider.during { [fixture] in
            // On the same stack the fetch cannot finish: the old key is accepted, the new one is
            // told to retry, and neither causes a fetch.
            let verdicts = [old, new].map { fixture.verify($0, Configured.apple).failure }
            inner.withLock { $0 = verdicts }
        }
        expectEqual(fixture.verify(new, Configured.apple).failure, nil)
        expectEqual(inner.withLock { $0 }, [nil, .keysUnavailable(.fetchInProgress)])
        expectEqual(fixture.provider.fetches, 2)
        expectEqual(fixture.verify(new, Configured.apple).failure, nil)
    }

    @Test func `the lease of a dead process expires`() throws {
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        let lease = try #require(fixture.store.puts.first { $0.attributes["failed"] != nil })
        fixture.clock.advance(by: .hours(2))
        var abandoned = lease
        abandoned.expiresAt = fixture.clock.now + .seconds(15)
        try fixture.store.write([.put(abandoned, when: [])])
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        expectEqual(fixture.provider.fetches, 1)
        fixture.clock.advance(by: .seconds(15))
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `a waiting process takes over as soon as the lease is free`() throws {
        let seen = ProviderFixture()
        expectEqual(seen.verify(token, Configured.apple).failure, nil)
        var lease = try #require(seen.store.puts.first { $0.attributes["failed"] != nil })
        lease.expiresAt = fixture.clock.now + .seconds(15)
        try fixture.store.write([.put(lease, when: [])])
        let key = lease.key
        let process = fixture.process(sleep: { [fixture] in
            if fixture.sleeps == 3 { try? fixture.store.write([.delete(key, when: [])]) }
        })
        expectEqual(fixture.verify(token, Configured.apple, by: process).failure, nil)
        expectEqual(fixture.sleeps, 3)
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test func `a store that fails writes is reported before anything is fetched`() {
        fixture.store.health = .readOnly
        expectEqual(
            fixture.verify(token, Configured.apple).failure, .keysUnavailable(.storeUnavailable))
        expectEqual(fixture.provider.fetches, 0)
    }
}

/// Runs blocking work off the cooperative pool.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
