/// The effect of Apple's notifications on accounts.
@Suite("Receive Apple's notifications") struct ReceiveAppleNotificationTests {
    let deletion: DeletionKit
    var kit: AuthKit { deletion.kit }

    init() throws { deletion = try DeletionKit() }

    private func receive(_ event: String, _ subject: String = "001", id: String = "1") throws {
        try kit.auth.receiveAppleNotification("\(event)|\(subject)|\(id)", Caller())
    }

    private func grants(_ user: User, of subject: String = "001") throws -> Int {
        try deletion.memory.query(StoreLayout.grants(of: .apple(subject), in: user.id)).items.count
    }

    /// An account with Apple and another sign-in method.
    private func linkedAccount() throws -> SessionTokens {
        let tokens = try deletion.fullAccount()
        try kit.change(tokens.user.id) {
            $0.identities.append(
                LinkedIdentity(
                    provider: "google", issuer: "https://google.example.com", subject: "9"))
        }
        return tokens
    }

    @Test(arguments: ["consentRevoked", "accountDeleted"])
    func `a token of another Apple identity is kept`(event: String) throws {
        let tokens = try linkedAccount()
        try deletion.store.write(
            try kit.auth.providerTokens.keep(.apple("other", of: "002"), of: tokens.user.id))
        try receive(event)
        try expectEqual(grants(tokens.user), 0)
        try expectEqual(grants(tokens.user, of: "002"), 1)
    }

    @Test func `a deleted Apple ID is unlinked if the account has another sign-in method`() throws {
        let tokens = try linkedAccount()
        try receive("accountDeleted")
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.deletedAt == nil && user.identities.map(\.provider) == ["google"])
        expectEqual(user.epoch, tokens.user.epoch + 1)
        try expectEqual(grants(tokens.user), 0)
        let owner = StoreLayout.identity(issuer: "https://apple.example.com", subject: "001")
        try expectEqual(deletion.memory.get(owner), nil)
        expectError(.accessToken(.sessionEnded)) { try deletion.principal(tokens) }
        #expect(try kit.audit(of: user.id).contains("providerAccountDeleted"))
        kit.finishReply()
        let mail = try #require(kit.mail.mails.last)
        #expect(mail.kind == .methodRemoved && mail.values["method"] == "Apple")
        expectEqual(mail.to, "001@example.com")
    }

    @Test func `an account without another sign-in method is deleted`() throws {
        let tokens = try deletion.fullAccount()
        try receive("accountDeleted")
        try expectEqual(kit.user(tokens.user.id)?.deletedAt, deletion.clock.now)
        expectError(.accessToken(.sessionEnded)) { try deletion.principal(tokens) }
        let job = try #require(try deletion.jobs().first)
        #expect(job.due == deletion.clock.now && job.attempts == 0)
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.kind, .accountDeleted)
        // Housekeeping has access to the storage; this function does not.
        expectEqual(kit.erasure.objects(of: tokens.user.id), 3)
        try expectEqual(deletion.housekeep()["done"], 1)
        expectEqual(kit.erasure.objects(of: tokens.user.id), 0)
        // Apple has revoked it itself.
        #expect(kit.erasure.revoked.isEmpty)
        try expectEqual(deletion.rows(of: tokens.user).count, 2)
        let audit = try kit.auditItems(of: tokens.user.id).map { try AuditRecord($0).entry }
        let receipt = try #require(audit.last { $0.event == "accountDeleted" })
        expectEqual(receipt.maker, "apple")
    }

    @Test(arguments: [
        ("emailDisabled", "providerEmailDisabled"), ("emailEnabled", "providerEmailEnabled"),
    ])
    func `the state of the relay address is recorded`(event: String, audit: String) throws {
        let tokens = try deletion.fullAccount()
        let before = try kit.user(tokens.user.id)
        try receive(event)
        #expect(try kit.audit(of: tokens.user.id).contains(audit))
        try expectEqual(kit.user(tokens.user.id), before)
        #expect(throws: Never.self) { try deletion.principal(tokens) }
    }

    @Test func `a repeated notification changes nothing`() throws {
        let tokens = try deletion.fullAccount()
        try receive("consentRevoked")
        let again = try kit.session(of: "001")
        deletion.clock.advance(by: .days(7) - .milliseconds(1))
        let later = try kit.refresh(again)
        try receive("consentRevoked")
        #expect(throws: Never.self) { try deletion.principal(later) }
        try expectEqual(kit.audit(of: tokens.user.id).count { $0 == "consentRevoked" }, 1)
        try receive("consentRevoked", id: "2")
        expectError(.accessToken(.sessionEnded)) { try deletion.principal(later) }
    }

    @Test func `only one of two requests with the same notification changes the account`() throws {
        let tokens = try deletion.fullAccount()
        let kit = kit
        deletion.store.beforeNextWrite {
            try kit.auth.receiveAppleNotification("consentRevoked|001|1", Caller())
        }
        try receive("consentRevoked")
        try expectEqual(kit.user(tokens.user.id)?.epoch, tokens.user.epoch + 1)
        try expectEqual(kit.audit(of: tokens.user.id).count { $0 == "consentRevoked" }, 1)
    }

    @Test func `a concurrent change is kept, and the notification takes effect`() throws {
        let tokens = try deletion.fullAccount()
        let kit = kit
        deletion.store.beforeNextWrite { try kit.change(tokens.user.id) { $0.displayName = "Ada" } }
        try receive("consentRevoked")
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.displayName == "Ada" && user.epoch == tokens.user.epoch + 1)
    }

    @Test func `a notification older than the account does not apply to it`() throws {
        let old = try deletion.fullAccount()
        let kit = kit
        try deletion.delete(old)
        deletion.clock.advance(by: .hours(1))
        let new = try kit.session(of: "001")
        // The event happened before the account was created, and is delivered late.
        let late = AuthKit.late(kit, "accountDeleted|001|1", by: .minutes(6))
        try late.receiveAppleNotification("accountDeleted|001|1", Caller())
        try expectEqual(kit.user(new.user.id)?.deletedAt, nil)
        let soon = AuthKit.late(kit, "accountDeleted|001|2", by: .minutes(5))
        try soon.receiveAppleNotification("accountDeleted|001|2", Caller())
        #expect(try kit.user(new.user.id)?.deletedAt != nil)
    }
}

extension AuthKit {
    /// Services for which a notification's event happened earlier.
    static func late(_ kit: AuthKit, _ payload: String, by span: Span) -> AuthServices {
        kit.services(
            with: IdentityProviderGateway(
                providers: ["apple"],
                verify: { _, _, _, _ throws(IdentityFailure) in throw .invalidIDToken },
                readNotification: { text, now throws(IdentityFailure) in
                    guard text == payload else { throw .invalidSignature }
                    return AppleNotification(
                        .accountDeleted, issuer: "https://apple.example.com", subject: "001",
                        occurredAt: now - span, id: payload, validUntil: now + .days(7))
                }))
    }
}
