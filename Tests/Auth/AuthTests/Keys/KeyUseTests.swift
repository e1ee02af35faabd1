import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Cryptography
import JOSE
import JSON
import KeyValueStore
import Testing
import Time

/// The ring behind access tokens and the published key set.
@Suite("Keys in use") struct KeyUseTests {
    let clock = TestClock()
    let store: FaultyStore
    let policy = Policy.testing.with { $0.accessToken.algorithm = .es256 }

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    private func process(seed: UInt64) throws -> AuthKit {
        let ground = Ground(store: store, clock: clock.wall, random: .seeded(seed), policy: policy)
        let sealing = try AESGCMKey(SecretBytes([UInt8](repeating: 1, count: 32)))
        return try AuthKit(
            policy: policy, clock: clock, store: store,
            ring: KeyRing(stored: ground, algorithm: .es256, sealing: sealing), seed: seed)
    }

    private func token(of kit: AuthKit) throws -> String {
        try kit.session(of: "\(kit.ground.random.bytes(4))").access.reveal()
    }

    @Test func `a process that is warm believes a key that is younger than its memory`() throws {
        let (old, new) = (try process(seed: 1), try process(seed: 2))
        let first = try token(of: old)
        _ = try new.authenticate(first)
        clock.advance(by: KeyRing.rotationAge - KeyRing.publishedBeforeUse)
        // `new` reads the ring now and remembers one key; then a rotation happens elsewhere.
        #expect(throws: Problem.accessTokenRejected(.expired)) { try new.authenticate(first) }
        _ = try process(seed: 3).ring.signingKey(at: clock.now)
        clock.advance(by: .milliseconds(1))
        clock.advance(by: KeyRing.publishedBeforeUse)
        let young = try token(of: try process(seed: 4))
        #expect(throws: Never.self) { try new.authenticate(young) }
    }

    @Test func `an unknown key costs one more read and no more`() throws {
        let kit = try process(seed: 1)
        let good = try token(of: kit)
        _ = try kit.authenticate(good)
        let stranger = try SigningKey.generate(.es256, random: .seeded(99))
        let forged = try JWT.sign(
            ["iss": "x"], with: stranger, type: "at+jwt", includesKeyID: true)
        for _ in 0..<3 {
            store.forgetCalls()
            #expect(throws: Problem.accessTokenRejected(.invalid)) { try kit.authenticate(forged) }
            #expect(store.calls.count <= 1)
        }
        #expect(throws: Never.self) { try kit.authenticate(good) }
    }

    @Test func `a key set that cannot be read is an outage and no refusal`() throws {
        let token = try token(of: try process(seed: 1))
        let cold = try process(seed: 2)
        store.goDown()
        #expect(throws: Problem.unavailable(.store)) { try cold.authenticate(token) }
    }

    @Test func `a refresh whose key cannot be had advances nothing`() throws {
        let kit = try process(seed: 1)
        let session = try kit.session()
        let cold = try process(seed: 2)
        store.setFate { call in
            if case .query = call { return .refused(.unavailable(detail: "keys")) }
            return .fine
        }
        #expect(throws: Problem.unavailable(.store)) {
            try cold.refresh(session.refresh.reveal(), RequestContext())
        }
        store.comeBack()
        clock.advance(by: .minutes(5))
        #expect(throws: Never.self) {
            try cold.refresh(session.refresh.reveal(), RequestContext())
        }
    }

    @Test func `a sign-in whose key cannot be had spends no token`() throws {
        let kit = try process(seed: 1)
        let fake = FakeDesk()
        fake.add("one")
        let input = SignIn.Input(provider: "apple", idToken: "one")
        store.setFate { call in
            if case .query = call { return .refused(.unavailable(detail: "keys")) }
            return .fine
        }
        #expect(throws: Problem.unavailable(.store)) {
            try kit.signIn(fake.desk)(input, RequestContext())
        }
        store.comeBack()
        #expect(throws: Never.self) { try kit.signIn(fake.desk)(input, RequestContext()) }
    }

    @Test func `the key set shows public halves alone, and the first call makes a key`() throws {
        let kit = try process(seed: 1)
        let keys = PublishKeys(kit.ground, ring: kit.ring, issuer: "https://auth.example.com")
        let list = try #require(try keys.keySet()["keys"]?.arrayValue)
        #expect(list.count == 1)
        for key in list {
            let names = Set(key.objectValue?.members.map(\.name) ?? [])
            #expect(names.isSuperset(of: ["kty", "kid"]))
            #expect(names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k", "oth"]))
        }
        #expect(throws: Never.self) { try kit.authenticate(token(of: kit)) }
    }

    /// An operator rotates by putting the new key in front.
    @Test func `of the keys that are configured the first signs and all verify`() throws {
        let keys = try (UInt64(1)...3).map { try SigningKey.generate(.es256, random: .seeded($0)) }
        let ring = KeyRing(configured: keys)
        #expect(try ring.signingKey(at: clock.now).kid == keys[0].kid)
        #expect(try ring.verificationKeys(at: clock.now).map(\.kid) == keys.map(\.kid))
        let before = try AuthKit(
            policy: policy, clock: clock, store: store, ring: KeyRing(configured: [keys[2]]))
        let old = try token(of: before)
        let after = try AuthKit(
            policy: policy, clock: clock, store: store, ring: ring, seed: 5)
        #expect(throws: Never.self) { try after.authenticate(old) }
    }

    @Test func `a shared secret is never published`() throws {
        let kit = try AuthKit()
        let keys = PublishKeys(kit.ground, ring: kit.ring, issuer: "https://auth.example.com")
        #expect(try keys.keySet() == ["keys": []])
    }

    @Test func `discovery leads to the key set, with or without a slash at the end`() throws {
        let kit = try process(seed: 1)
        for issuer in ["https://auth.example.com", "https://auth.example.com/"] {
            let document = PublishKeys(kit.ground, ring: kit.ring, issuer: issuer).discovery()
            #expect(document["issuer"]?.stringValue == issuer)
            #expect(
                document["jwks_uri"]?.stringValue
                    == "https://auth.example.com/.well-known/jwks.json")
            #expect(document["id_token_signing_alg_values_supported"] == ["ES256"])
        }
    }
}
