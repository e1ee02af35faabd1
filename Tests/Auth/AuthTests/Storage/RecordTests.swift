@Suite("Records") struct RecordTests {
    static let now = Instant(seconds: 1_700_000_000)

    static func user(_ change: (inout User) -> Void = { _ in }) -> User {
        var user = User(
            id: UserID(random: .seeded(1)), email: "ada@example.com", isEmailVerified: true,
            displayName: "Ada \"L\" 王",
            identities: [
                LinkedIdentity(provider: "apple", issuer: "https://a", subject: "s|\"\\\u{1}"),
                LinkedIdentity(provider: "google", issuer: "https://g", subject: "2"),
            ], createdAt: now)
        change(&user)
        return user
    }

    static func session() -> Session {
        Session(
            id: SessionID(random: .seeded(2)), user: UserID(random: .seeded(1)), generation: 3,
            seed: [1, 2], epoch: 4,
            proofs: .password(at: now), lastUsedAt: now + .seconds(1),
            idleExpiresAt: now + .days(30),
            absoluteExpiresAt: now + .days(365),
            origin: SessionOrigin(
                provider: "apple", deviceName: "iPhone", deviceSystem: nil, address: "::1",
                userAgent: ""), writer: [3], refreshes: RequestCount(window: 7, count: 2))
    }

    @Test func `a user can be written and read`() throws {
        let users = [
            Self.user(),
            Self.user {
                $0.email = nil
                $0.displayName = nil
                $0.identities = []
                $0.isDisabled = true
                $0.adminRole = .administrator
                $0.epoch = 7
                $0.revision = 8
                $0.updatedAt = Self.now + .days(1)
                $0.publicID = 12
                $0.hasChosenEmail = true
                $0.restorePoints = [
                    RestorePoint(link: [1, 2], .method, until: Self.now),
                    RestorePoint(link: [2], .address(claim: nil), until: Self.now),
                    RestorePoint(link: [3], .address(claim: [4, 5]), until: Self.now + .days(7)),
                ]
                $0.deletedAt = Self.now + .days(2)
            },
        ]
        for user in users {
            try expectEqual(UserRecord.user(UserRecord.item(user), id: user.id), user)
            expectEqual(UserRecord.item(user).expiresAt, nil)
        }
    }

    static let tokenItem = RefreshTokenRecord.item(
        hash: [UInt8](repeating: 9, count: 32),
        RefreshTokenPlace(
            user: UserID(random: .seeded(1)), session: SessionID(random: .seeded(2)),
            generation: 3), expiresAt: now + .days(365))

    static let needed: [(Item, [String])] = [
        (
            UserRecord.item(user()),
            [
                "isEmailVerified", "identities", "epoch", "isDisabled", "isAdmin", "revision",
                "createdAt", "updatedAt",
            ]
        ),
        (
            SessionRecord.item(session()),
            [
                "generation", "seed", "epoch", "provider", "createdAt", "lastUsedAt",
                "idleExpiresAt", "absoluteExpiresAt", "writer", "refreshWindow", "refreshCount",
            ]
        ),
        (tokenItem, ["user", "family", "generation"]),
    ]

    /// A missing `isDisabled` that is read as false would admit a disabled user.
    @Test func `a missing attribute or a wrong type is an error`() {
        for (item, names) in Self.needed {
            for name in names {
                var broken = item
                broken.attributes[name] = nil
                expectUnreadable(broken, name)
                let wrong: [Attribute] = [.text("1"), .integer(1), .bytes([1]), .flag(true)]
                for value in wrong where !isSameKind(value, item.attributes[name]) {
                    broken.attributes[name] = value
                    expectUnreadable(broken, name)
                }
            }
        }
    }

    @Test func `optional attributes of a wrong type are an error too`() {
        var user = UserRecord.item(Self.user())
        user.attributes["email"] = .flag(true)
        expectUnreadable(user, "email")
        for name in ["publicID", "deletedAt"] {
            var user = UserRecord.item(Self.user())
            user.attributes[name] = .text("1")
            expectUnreadable(user, name)
        }
        var session = SessionRecord.item(Self.session())
        session.attributes["userAgent"] = .integer(1)
        expectUnreadable(session, "userAgent")
    }

    static let brokenAddresses: [String] = [
        "", "{}", "[1]", "[{}]", #"[{"link":"AQ"}]"#, #"[{"until":1}]"#,
        #"[{"link":"A","until":1}]"#, #"[{"link":"AQ","until":"1"}]"#,
        #"[{"link":"AQ","until":1,"claim":"A"}]"#, #"[{"link":"AQ","until":1,"claim":1}]"#,
    ]

    @Test(arguments: brokenAddresses) func `unreadable addresses are an error`(text: String) {
        var item = UserRecord.item(Self.user())
        item.attributes["formerAddresses"] = .bytes(Array(text.utf8))
        expectUnreadable(item, "formerAddresses")
    }

    static let brokenIdentities: [String] = [
        "", "{}", "null", "[1]", "[{}]", "[{\"provider\":\"a\",\"issuer\":\"b\"}]",
        "[{\"provider\":\"a\",\"issuer\":\"b\",\"subject\":1}]", "[{\"provider\":\"a\"",
        "[{\"provider\":\"a\",\"provider\":\"a\",\"issuer\":\"b\",\"subject\":\"c\"}]",
    ]

    @Test(arguments: brokenIdentities) func `unreadable identities are an error`(text: String) {
        var item = UserRecord.item(Self.user())
        item.attributes["identities"] = .bytes(Array(text.utf8))
        expectUnreadable(item, "identities")
    }

    @Test func `invalid ids in a refresh token's row are an error`() {
        for name in ["user", "family"] {
            for raw in ["", "../x", "A1B2C3D4-E5F6-4890-ABCD-EF1234567890"] {
                var item = Self.tokenItem
                item.attributes[name] = .text(raw)
                expectUnreadable(item, name)
            }
        }
    }

    @Test func `a write replaces the account only if it has not changed`() {
        let user = Self.user { $0.revision = 4 }
        let write = UserRecord.replacing(user) { $0.epoch += 1 }
        let read = UserRecord.item(user)
        #expect(write.conditions.allSatisfy { $0.holds(for: read) })
        let changed: [(String, Attribute)] = [
            ("revision", .integer(5)), ("epoch", .integer(1)), ("isDisabled", .flag(true)),
            ("deletedAt", .integer(1)),
        ]
        for (name, value) in changed {
            var other = read
            other.attributes[name] = value
            #expect(!write.conditions.allSatisfy { $0.holds(for: other) }, "\(name)")
        }
        guard case .put(let item, _) = write else { return }
        expectEqual(item.attributes["revision"], .integer(5))
        expectEqual(item.attributes["epoch"], .integer(1))
    }

    private func expectUnreadable(_ item: Item, _ name: String) {
        #expect(throws: StoreFailure.self, "\(name)") {
            switch item.key.sort {
            case "PROFILE": _ = try UserRecord.user(item, id: Self.user().id)
            case "TOKEN": _ = try RefreshTokenRecord.place(item)
            default:
                _ = try SessionRecord.session(
                    item, id: Self.session().id, user: Self.session().user)
            }
        }
    }

    private func isSameKind(_ left: Attribute, _ right: Attribute?) -> Bool {
        switch (left, right) {
        case (.text, .text?), (.integer, .integer?), (.bytes, .bytes?), (.flag, .flag?): true
        default: false
        }
    }
}
