import Dispatch

@Suite("StoredSigningKeys") struct StoredSigningKeysTests {
    let clock = TestClock()
    let store: FaultyStore
    let memory: MemoryStore

    init() {
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
    }

    static let partition = StoreLayout.signingKeys("ES256")

    /// A new process, which has no cached keys.
    private func keys(
        seed: UInt64 = 1, sealedBy byte: UInt8? = 1, algorithm: Algorithm = .es256,
        in store: (any KeyValueStore)? = nil
    ) throws -> SigningKeys {
        let sealing = try byte.map { try AESGCMKey(SecretBytes([UInt8](repeating: $0, count: 32))) }
        return SigningKeys(
            stored: StoredSigningKeys(
                store: store ?? self.store, random: .seeded(seed), algorithm: algorithm,
                sealing: sealing))
    }

    private func published() throws -> [String] {
        try keys().verificationKeys(at: clock.now).keys.compactMap(\.kid)
    }

    private func rows() throws -> [Item] {
        try memory.query(PartitionQuery(Self.partition, limit: 1000)).items
    }

    @Test func `verifying creates no key`() throws {
        #expect(try keys().verificationKeys(at: clock.now).keys.isEmpty)
        #expect(try rows().isEmpty)
    }

    @Test func `each algorithm has its own keys`() throws {
        for algorithm in [Algorithm.es256, .edDSA, .hs256] {
            try expectEqual(
                keys(algorithm: algorithm).signingKey(at: clock.now).algorithm, algorithm)
        }
        try expectEqual(rows().count, 1)
    }

    @Test func `a new key is published a day before it signs, an old one until its tokens expire`()
        throws
    {
        let first = try keys().signingKey(at: clock.now).kid
        // Nothing happens before the rotation is due.
        clock.advance(
            by: SigningKeys.rotationAge - SigningKeys.publishedBeforeUse - .milliseconds(1))
        try expectEqual(keys().signingKey(at: clock.now).kid, first)
        try expectEqual(published(), [first])
        // The successor is published and does not sign yet.
        clock.advance(by: .milliseconds(1))
        try expectEqual(keys(seed: 2).signingKey(at: clock.now).kid, first)
        let both = try published()
        #expect(both.count == 2 && both[0] == first)
        clock.advance(by: SigningKeys.publishedBeforeUse - .milliseconds(1))
        try expectEqual(keys().signingKey(at: clock.now).kid, first)
        let lastToken = clock.now
        // It signs, and the old key remains published for existing tokens.
        clock.advance(by: .milliseconds(1))
        try expectEqual(keys().signingKey(at: clock.now).kid, both[1])
        try expectEqual(published(), both)
        for contract in [Span.minutes(15), .hours(1), .hours(24)] {
            #expect(lastToken + contract < clock.now + SigningKeys.publishedAfterUse)
        }
        clock.advance(by: SigningKeys.publishedAfterUse - .milliseconds(1))
        try expectEqual(published(), both)
        clock.advance(by: .milliseconds(1))
        try expectEqual(published(), [both[1]])
        try expectEqual(keys().signingKey(at: clock.now).kid, both[1])
    }

    @Test func `during ten years of rotation there is always a signing key`() throws {
        var signed: [(kid: String, at: Instant)] = []
        for step in UInt64(0)..<400 {
            let key = try keys(seed: step).signingKey(at: clock.now)
            #expect(try published().contains(key.kid))
            // A token that was signed an hour ago is still valid.
            if let last = signed.last, clock.now - last.at <= .hours(1) {
                #expect(try published().contains(last.kid))
            }
            signed.append((key.kid, clock.now))
            clock.advance(by: step.isMultiple(of: 2) ? .hours(1) : .days(18))
            #expect(try rows().count <= 3)
        }
        #expect(Set(signed.map(\.kid)).count > 30)
    }

    @Test func `after years without use, the old key signs and a new one is published`() throws {
        let first = try keys().signingKey(at: clock.now).kid
        clock.advance(by: .days(1000))
        try expectEqual(keys(seed: 2).signingKey(at: clock.now).kid, first)
        try expectEqual(published().count, 2)
        clock.advance(by: .days(1))
        #expect(try keys().signingKey(at: clock.now).kid != first)
    }

    @Test func `concurrent rotations create one successor`() throws {
        _ = try keys().signingKey(at: clock.now)
        clock.advance(by: SigningKeys.rotationAge)
        let processes = try (0..<50).map { try keys(seed: UInt64($0 + 10)) }
        DispatchQueue.concurrentPerform(iterations: 50) { index in
            _ = try? processes[index].signingKey(at: clock.now)
        }
        try expectEqual(rows().count, 2)
    }

    @Test func `a key encrypted with another master key is refused and not replaced`() throws {
        let kid = try keys().signingKey(at: clock.now).kid
        for seed in UInt64(2)..<4 {
            let wrong = try keys(seed: seed, sealedBy: 2)
            expectError(.fault(.sealedDataUnreadable)) { try wrong.signingKey(at: clock.now) }
            expectError(.fault(.sealedDataUnreadable)) { try wrong.verificationKeys(at: clock.now) }
        }
        try expectEqual(keys().signingKey(at: clock.now).kid, kid)
    }

    @Test func `a row that was tampered with is refused`() throws {
        _ = try keys().signingKey(at: clock.now)
        let good = try #require(try rows().first)
        guard case .bytes(let sealed)? = good.attributes["sealed"] else {
            Issue.record("the key is not sealed")
            return
        }
        var flipped = sealed
        flipped[sealed.count / 2] ^= 1
        let bad: [Attributes] = [
            ["sealed": .bytes(flipped), "createdAt": .integer(1)],
            ["sealed": .bytes([]), "createdAt": .integer(1)],
            ["sealed": .text("x"), "createdAt": .integer(1)],
            ["sealed": .bytes(sealed)], ["createdAt": .integer(1)], [:],
        ]
        for attributes in bad {
            try memory.write([.put(Item(good.key, attributes), when: [])])
            expectError(.fault(.sealedDataUnreadable)) {
                try keys().verificationKeys(at: clock.now)
            }
        }
        // A key can only be decrypted in its own row.
        try memory.write([
            .put(good, when: []),
            .put(Item(ItemKey(Self.partition, "00000001"), good.attributes), when: []),
        ])
        expectError(.fault(.sealedDataUnreadable)) { try keys().signingKey(at: clock.now) }
    }

    @Test func `no row has an unencrypted private key`() throws {
        let key = try keys().signingKey(at: clock.now)
        let exported = Hex.encode(key.exported().reveal().suffix(24))
        for case .bytes(let bytes) in try rows().flatMap({ $0.attributes.values }) {
            #expect(!Hex.encode(bytes).contains(exported))
        }
    }

    @Test func `a lost response when the first key is created loses no key`() throws {
        store.setFate { call in
            if case .write = call { return .answerLost }
            return .fine
        }
        expectError(.unavailable(.store)) { try keys().signingKey(at: clock.now) }
        store.comeBack()
        let kid = try #require(try published().first)
        try expectEqual(keys(seed: 2).signingKey(at: clock.now).kid, kid)
    }

    @Test func `keys on short and empty pages are found`() throws {
        let shortened = ShortPages(memory)
        let first = try keys(seed: 3, in: shortened).signingKey(at: clock.now).kid
        clock.advance(by: SigningKeys.rotationAge)
        _ = try keys(seed: 4, in: shortened).signingKey(at: clock.now)
        clock.advance(by: SigningKeys.publishedBeforeUse)
        try expectEqual(keys(in: shortened).verificationKeys(at: clock.now).keys.count, 2)
        #expect(try keys(in: shortened).signingKey(at: clock.now).kid != first)
    }

    @Test func `a warm process caches keys for a minute, and reads again on request`()
        throws
    {
        let warm = try keys()
        _ = try warm.signingKey(at: clock.now)
        store.forgetCalls()
        clock.advance(by: .seconds(59))
        _ = try warm.signingKey(at: clock.now)
        #expect(store.calls.isEmpty)
        clock.advance(by: .seconds(1))
        _ = try warm.signingKey(at: clock.now)
        expectEqual(store.calls.count, 1)
        #expect(warm.forgetForUnknownKey(at: clock.now))
        _ = try warm.verificationKeys(at: clock.now)
        expectEqual(store.calls.count, 2)
    }

    // MARK: Without the master key

    @Test func `without the master key tokens verify and nothing can be signed`() throws {
        let policy = AccessTokensTests.policy
        let signer = try AuthKit(policy: policy, clock: clock, store: store, signingKeys: keys())
        let verifier = try AuthKit(
            policy: policy, clock: clock, store: store, signingKeys: keys(sealedBy: nil), seed: 2)
        let session = try signer.session()
        try expectEqual(verifier.authenticate(session).user.id, session.user.id)
        expectError(.fault(.signingFailed)) { try verifier.refresh(session) }
        expectError(.fault(.signingFailed)) { try verifier.session() }
        try expectEqual(rows().count, 1)
    }

    @Test func `without the master key no first key and no successor is made`() throws {
        expectError(.fault(.signingFailed)) { try keys(sealedBy: nil).signingKey(at: clock.now) }
        #expect(try keys(sealedBy: nil).publishedKeys(at: clock.now).isEmpty)
        #expect(try rows().isEmpty)
        _ = try keys().signingKey(at: clock.now)
        clock.advance(by: SigningKeys.rotationAge)
        try expectEqual(keys(sealedBy: nil).publishedKeys(at: clock.now).count, 1)
        try expectEqual(rows().count, 1)
    }

    @Test func `without the master key a row needs a public key with the right algorithm`() throws {
        _ = try keys().signingKey(at: clock.now)
        let good = try #require(try rows().first)
        func publicKey(_ algorithm: Algorithm) throws -> Attribute {
            let key = try SigningKey.generate(algorithm, random: .seeded(8))
            return .bytes(try #require(key.publicJWK).serialized)
        }
        let secret: JSONObject = ["kty": "oct", "kid": "x", "k": "AAAA", "alg": "HS256"]
        let bad: [Attribute?] = [
            nil, .text("{}"), .bytes([]), .bytes(Array("{}".utf8)), .bytes(Array("[1]".utf8)),
            .bytes(secret.serialized), try publicKey(.edDSA), try publicKey(.rs256),
            .bytes([UInt8](repeating: UInt8(ascii: " "), count: 5000)),
        ]
        for value in bad {
            var item = good
            item.attributes["publicKey"] = value
            try memory.write([.put(item, when: [])])
            #expect(throws: AuthError.fault(.sealedDataUnreadable), "\(String(describing: value))")
            {
                try keys(sealedBy: nil).verificationKeys(at: clock.now)
            }
            // With the master key, the encrypted key is used and not the public copy.
            #expect(throws: Never.self) { try keys().verificationKeys(at: clock.now) }
        }
    }
}

/// Returns an empty page first, as DynamoDB may while it has expired items, and then one item per
/// page.
final class ShortPages: KeyValueStore {
    private let inner: any KeyValueStore
    init(_ inner: any KeyValueStore) { self.inner = inner }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try inner.read(keys, counting: counters, listing: query)
    }
    func write(_ writes: [Write]) throws(StoreFailure) { try inner.write(writes) }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        guard query.after != nil else { return Page(items: [], next: query.prefix + " ") }
        var one = query
        one.limit = 1
        let page = try inner.query(one)
        return Page(items: page.items, next: page.next)
    }
}
