@Suite("StoreLayout") struct StoreLayoutTests {
    /// Texts that could be confused with other parts of a key.
    static func hostile(_ random: inout SplitMix64) -> String {
        let alphabet = [
            "#", "USER#", "SESSION#", "IDENTITY#", "REFRESH#", "CHALLENGE#", "SPENT#", "RATE#",
            "PROFILE", "TOKEN", "OWNER", "NONCE", "a", "1", ":", "|", "\u{0}", "é", "e\u{301}",
            "\u{212A}", "K", "", " ", "/",
        ]
        return random.text(of: alphabet, count: 0...5)
    }

    @Test func `keys of different kinds are never equal, for any input`() {
        var random = SplitMix64(seed: 7)
        var kinds: [ItemKey: String] = [:]
        for _ in 0..<3000 {
            let text = Self.hostile(&random)
            let user = UserID(random: .seeded(random.next() % 50))
            let session = SessionID(random: .seeded(random.next() % 50))
            // The same bytes in every part: only the prefix distinguishes them.
            let hash = SHA256.hash(Array(text.utf8))
            let keys: [(String, ItemKey)] = [
                ("profile", StoreLayout.profile(user)),
                ("session", StoreLayout.session(session, of: user)),
                ("grant", StoreLayout.grant(of: .apple(text), clientID: text, in: user)),
                ("identity", StoreLayout.identity(issuer: text, subject: text)),
                ("refresh", StoreLayout.refreshToken(hash: hash)),
                ("challenge", StoreLayout.challenge(nonce: text)),
                ("used", StoreLayout.usedIdentityToken(fingerprint: hash)),
                ("rate", StoreLayout.rate("signIn.address", text, window: 1)),
                ("email", StoreLayout.emailClaim(addressDigest: hash)),
                ("public id", StoreLayout.publicID(Int64(random.next() % 50))),
                ("public id counter", StoreLayout.publicIDCounter),
                (
                    "audit",
                    StoreLayout.audit(
                        AuditChain.account(user).partition, sequence: 1, id: session.uuid)
                ),
                ("audit head", AuditChain.account(user).headKey),
                ("keys", ItemKey(StoreLayout.signingKeys("ES256"), "00000000")),
            ]
            for (kind, key) in keys {
                expectEqual(kinds[key] ?? kind, kind, "\(kind) is \(kinds[key] ?? "")")
                kinds[key] = kind
                #expect(key.partition.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect(key.partition.utf8.count < 128 && key.sort.utf8.count < 128)
            }
        }
    }

    @Test func `issuer and subject are separate in an identity's key`() {
        let keys = [
            StoreLayout.identity(issuer: "a", subject: "bc"),
            StoreLayout.identity(issuer: "ab", subject: "c"),
            StoreLayout.identity(issuer: "", subject: "abc"),
            StoreLayout.identity(issuer: "abc", subject: ""),
            StoreLayout.identity(issuer: "1:a", subject: "b"),
            StoreLayout.identity(issuer: "1", subject: ":a1:b"),
        ]
        expectEqual(Set(keys).count, keys.count)
    }

    /// "é" and "e\u{301}" are equal as `String` but different subjects.
    @Test func `canonically equivalent subjects are different identities`() {
        let pairs = [("é", "e\u{301}"), ("K", "\u{212A}"), ("Å", "\u{212B}")]
        for (one, two) in pairs {
            #expect(
                StoreLayout.identity(issuer: "i", subject: one)
                    != StoreLayout.identity(issuer: "i", subject: two))
            #expect(StoreLayout.challenge(nonce: one) != StoreLayout.challenge(nonce: two))
        }
    }

    @Test func `no key contains secrets or personal data`() throws {
        let keys = [
            StoreLayout.identity(issuer: "https://apple", subject: "001234.secret"),
            StoreLayout.challenge(nonce: "001234.secret"),
            StoreLayout.rate("signIn.address", "001234.secret", window: 1),
            StoreLayout.emailClaim(try address("001234.secret@example.com")),
            StoreLayout.grant(
                of: .apple("001234.secret"), clientID: "001234.secret",
                in: UserID(random: .seeded(1))),
        ]
        for key in keys { #expect(!"\(key)".contains("001234")) }
    }

    private func address(_ text: String) throws -> EmailAddress {
        try #require(EmailAddress(parsing: text))
    }

    @Test func `keys of an address do not depend on upper and lower case`() throws {
        let (one, other) = (try address("Ada@Example.com"), try address("ada@example.COM"))
        let user = UserID(random: .seeded(1))
        expectEqual(StoreLayout.emailClaim(one), StoreLayout.emailClaim(other))
        expectEqual(StoreLayout.emailUser(one, user), StoreLayout.emailUser(other, user))
        expectEqual(StoreLayout.registrations(one), StoreLayout.registrations(other))
        let digest = StoreLayout.addressDigest(one)
        expectEqual(StoreLayout.emailClaim(one), StoreLayout.emailClaim(addressDigest: digest))
    }

    @Test func `sessions of different users have different keys`() {
        let (one, two) = (UserID(random: .seeded(1)), UserID(random: .seeded(2)))
        let session = SessionID(random: .seeded(3))
        #expect(StoreLayout.session(session, of: one) != StoreLayout.session(session, of: two))
        #expect(StoreLayout.profile(one).partition != StoreLayout.profile(two).partition)
    }
}
