import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Cryptography
import Dispatch
import JOSE
import KeyValueStore
import Synchronization
import Testing
import Time

@Suite("KeyRing") struct KeyRingTests {
    let clock = TestClock()
    let store: FaultyStore
    let memory: MemoryStore

    init() {
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
    }

    static let partition = StoreLayout.signingKeys("ES256")

    /// A process of its own: nothing is remembered but what the store holds.
    private func ring(
        seed: UInt64 = 1, sealedBy byte: UInt8 = 1, algorithm: Algorithm = .es256
    ) throws -> KeyRing {
        let ground = Ground(
            store: store, clock: clock.wall, random: .seeded(seed), policy: .testing)
        let sealing = try AESGCMKey(SecretBytes([UInt8](repeating: byte, count: 32)))
        return KeyRing(stored: ground, algorithm: algorithm, sealing: sealing)
    }

    private func published() throws -> [String] {
        try ring().verificationKeys(at: clock.now).compactMap(\.kid)
    }

    private func rows() throws -> [Item] {
        try memory.query(PartitionQuery(Self.partition, limit: 1000)).items
    }

    @Test func `a hundred callers that find no key make one`() throws {
        let kids = Mutex<[String]>([])
        let rings = try (0..<100).map { try ring(seed: UInt64($0)) }
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            if let kid = try? rings[index].signingKey(at: clock.now).kid {
                kids.withLock { $0.append(kid) }
            }
        }
        let found = kids.withLock { $0 }
        #expect(found.count == 100)
        #expect(Set(found).count == 1)
        #expect(try rows().count == 1)
    }

    @Test func `whoever only verifies makes no key`() throws {
        #expect(try ring().verificationKeys(at: clock.now).isEmpty)
        #expect(try rows().isEmpty)
    }

    @Test func `each algorithm has keys of its own`() throws {
        for algorithm in [Algorithm.es256, .edDSA, .hs256] {
            #expect(try ring(algorithm: algorithm).signingKey(at: clock.now).algorithm == algorithm)
        }
        #expect(try rows().count == 1)
    }

    @Test func `a new key is published a day before it signs, the old until its tokens are over`()
        throws
    {
        let first = try ring().signingKey(at: clock.now).kid
        // Nothing happens before its time.
        clock.advance(by: KeyRing.rotationAge - KeyRing.publishedBeforeUse - .milliseconds(1))
        #expect(try ring().signingKey(at: clock.now).kid == first)
        #expect(try published() == [first])
        // The successor appears, and does not sign.
        clock.advance(by: .milliseconds(1))
        #expect(try ring(seed: 2).signingKey(at: clock.now).kid == first)
        let both = try published()
        #expect(both.count == 2 && both[0] == first)
        clock.advance(by: KeyRing.publishedBeforeUse - .milliseconds(1))
        #expect(try ring().signingKey(at: clock.now).kid == first)
        let lastToken = clock.now
        // It signs, and the old key stays for what it has signed.
        clock.advance(by: .milliseconds(1))
        #expect(try ring().signingKey(at: clock.now).kid == both[1])
        #expect(try published() == both)
        for contract in [Span.minutes(15), .hours(1), .hours(24)] {
            #expect(lastToken + contract < clock.now + KeyRing.publishedAfterUse)
        }
        clock.advance(by: KeyRing.publishedAfterUse - .milliseconds(1))
        #expect(try published() == both)
        clock.advance(by: .milliseconds(1))
        #expect(try published() == [both[1]])
        #expect(try ring().signingKey(at: clock.now).kid == both[1])
    }

    @Test func `ten years of rotation never leave a moment without a key`() throws {
        var signed: [(kid: String, at: Instant)] = []
        for step in UInt64(0)..<400 {
            let key = try ring(seed: step).signingKey(at: clock.now)
            #expect(try published().contains(key.kid))
            // What was signed an hour ago still verifies.
            if let last = signed.last, clock.now - last.at <= .hours(1) {
                #expect(try published().contains(last.kid))
            }
            signed.append((key.kid, clock.now))
            clock.advance(by: step.isMultiple(of: 2) ? .hours(1) : .days(18))
            #expect(try rows().count <= 3)
        }
        #expect(Set(signed.map(\.kid)).count > 30)
    }

    @Test func `a deployment that slept for years wakes with its old key and a new one`() throws {
        let first = try ring().signingKey(at: clock.now).kid
        clock.advance(by: .days(1000))
        #expect(try ring(seed: 2).signingKey(at: clock.now).kid == first)
        #expect(try published().count == 2)
        clock.advance(by: .days(1))
        #expect(try ring().signingKey(at: clock.now).kid != first)
    }

    @Test func `racing rotations make one successor`() throws {
        _ = try ring().signingKey(at: clock.now)
        clock.advance(by: KeyRing.rotationAge)
        let rings = try (0..<50).map { try ring(seed: UInt64($0 + 10)) }
        DispatchQueue.concurrentPerform(iterations: 50) { index in
            _ = try? rings[index].signingKey(at: clock.now)
        }
        #expect(try rows().count == 2)
    }

    @Test func `a sealed key does not open with another master key, and is not replaced`() throws {
        let kid = try ring().signingKey(at: clock.now).kid
        for seed in UInt64(2)..<4 {
            let wrong = try ring(seed: seed, sealedBy: 2)
            #expect(throws: Problem.fault(.sealedDataUnreadable)) {
                try wrong.signingKey(at: clock.now)
            }
            #expect(throws: Problem.fault(.sealedDataUnreadable)) {
                try wrong.verificationKeys(at: clock.now)
            }
        }
        #expect(try ring().signingKey(at: clock.now).kid == kid)
    }

    @Test func `a row that was tampered with is refused`() throws {
        _ = try ring().signingKey(at: clock.now)
        let good = try #require(try rows().first)
        guard case .bytes(let sealed)? = good.attributes["sealed"] else {
            Issue.record("the key is not sealed")
            return
        }
        var flipped = sealed
        flipped[sealed.count / 2] ^= 1
        let bad: [[String: Attribute]] = [
            ["sealed": .bytes(flipped), "createdAt": .integer(1)],
            ["sealed": .bytes([]), "createdAt": .integer(1)],
            ["sealed": .text("x"), "createdAt": .integer(1)],
            ["sealed": .bytes(sealed)], ["createdAt": .integer(1)], [:],
        ]
        for attributes in bad {
            try memory.write([.put(Item(good.key, attributes), when: [])])
            #expect(throws: Problem.fault(.sealedDataUnreadable)) {
                try ring().verificationKeys(at: clock.now)
            }
        }
        // A key that was moved to another slot is one that somebody moved.
        try memory.write([
            .put(good, when: []),
            .put(Item(ItemKey(Self.partition, "00000001"), good.attributes), when: []),
        ])
        #expect(throws: Problem.fault(.sealedDataUnreadable)) {
            try ring().signingKey(at: clock.now)
        }
    }

    @Test func `no row shows a key`() throws {
        let key = try ring().signingKey(at: clock.now)
        let exported = Hex.encode(key.exported().reveal().suffix(24))
        for case .bytes(let bytes) in try rows().flatMap({ $0.attributes.values }) {
            #expect(!Hex.encode(bytes).contains(exported))
        }
    }

    @Test func `a store that fails is an outage, and makes no key`() throws {
        store.goDown()
        #expect(throws: Problem.unavailable(.store)) { try ring().signingKey(at: clock.now) }
        store.comeBack()
        #expect(try rows().isEmpty)
    }

    @Test func `an answer lost while the first key was made loses no key`() throws {
        store.setFate { call in
            if case .write = call { return .answerLost }
            return .fine
        }
        #expect(throws: Problem.unavailable(.store)) { try ring().signingKey(at: clock.now) }
        store.comeBack()
        let kid = try #require(try published().first)
        #expect(try ring(seed: 2).signingKey(at: clock.now).kid == kid)
    }

    @Test func `a store that answers in short pages hides no key`() throws {
        let shortened = ShortPages(memory)
        let ground = Ground(
            store: shortened, clock: clock.wall, random: .seeded(3), policy: .testing)
        let sealing = try AESGCMKey(SecretBytes([UInt8](repeating: 1, count: 32)))
        func ring() -> KeyRing { KeyRing(stored: ground, algorithm: .es256, sealing: sealing) }
        let first = try ring().signingKey(at: clock.now).kid
        clock.advance(by: KeyRing.rotationAge)
        _ = try ring().signingKey(at: clock.now)
        clock.advance(by: KeyRing.publishedBeforeUse)
        #expect(try ring().verificationKeys(at: clock.now).count == 2)
        #expect(try ring().signingKey(at: clock.now).kid != first)
    }

    @Test func `a warm process trusts what it read for a minute, and reads again for a new key`()
        throws
    {
        let warm = try ring()
        _ = try warm.signingKey(at: clock.now)
        store.forgetCalls()
        clock.advance(by: .seconds(59))
        _ = try warm.signingKey(at: clock.now)
        #expect(store.calls.isEmpty)
        clock.advance(by: .seconds(1))
        _ = try warm.signingKey(at: clock.now)
        #expect(store.calls.count == 1)
        warm.forget()
        _ = try warm.verificationKeys(at: clock.now)
        #expect(store.calls.count == 2)
    }
}

/// Answers each query with an empty page first, as DynamoDB may while expired items are still
/// there, and then with one item a page.
final class ShortPages: KeyValueStore {
    private let inner: any KeyValueStore
    init(_ inner: any KeyValueStore) { self.inner = inner }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement]
    ) throws(StoreFailure) -> CountedRead { try inner.read(keys, counting: counters) }
    func write(_ writes: [Write]) throws(StoreFailure) { try inner.write(writes) }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        guard query.after != nil else { return Page(items: [], next: query.prefix + " ") }
        var one = query
        one.limit = 1
        let page = try inner.query(one)
        return Page(items: page.items, next: page.next)
    }
}
