import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Cryptography
import KeyValueStore
import TestSupport
import Testing
import Time

/// The transaction that deletes an account, and its effect on operations that read accounts.
@Suite("Delete account") struct DeleteAccountTests {
    @Test func `one transaction ends sessions, frees identities and records the deletion`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        world.store.forgetCalls()
        try world.delete(tokens, Caller(address: "192.0.2.1"))
        let writes = world.store.calls.compactMap { call -> [Write]? in
            if case .write(let writes) = call { return writes }
            return nil
        }
        expectEqual(writes.count, 1)
        let user = tokens.user
        let kept = try #require(try world.kit.user(user.id))
        expectEqual(
            kept, user.deleted(at: world.clock.now).with { $0.revision = user.revision + 1 })
        expectEqual(kept.epoch, user.epoch + 1)
        // No row refers to the account any more.
        let elsewhere = try AccountDeletionKeys.of(user)
        for (key, item) in zip(elsewhere, try world.memory.get(elsewhere)) {
            expectEqual(item, nil, "\(key)")
        }
        let receipt = try #require(
            try world.kit.auditItems(of: user.id).map { try AuditRecord($0).entry }.last)
        #expect(receipt.event == "accountDeleted" && receipt.user == user.id)
        #expect(receipt.address == nil && receipt.userAgent == nil && receipt.session == nil)
        try expectEqual(world.jobs().map(\.user), [user.id])
    }

    @Test func `the tombstone has no personal data`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        try world.delete(tokens)
        let profile = try #require(
            try world.memory.get(StoreLayout.profile(tokens.user.id)))
        expectEqual(
            Set(profile.attributes.keys),
            [
                "isEmailVerified", "identities", "epoch", "isDisabled", "isAdmin", "revision",
                "deletedAt", "createdAt", "updatedAt",
            ])
        expectEqual(profile.attributes["identities"], .bytes(Array("[]".utf8)))
    }

    @Test func `the owner gets a mail, at the address that the account had`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        try world.delete(tokens, Caller(address: "192.0.2.1"))
        #expect(world.kit.mail.mails.isEmpty)
        world.kit.finishReply()
        let mail = try #require(world.kit.mail.mails.last)
        #expect(mail.kind == .accountDeleted && mail.to == "001@example.com")
        expectEqual(mail.values["address"], "192.0.2.1")
    }

    @Test(arguments: [
        (Span.milliseconds(599_999), true), (.minutes(10), false), (.days(2), false),
    ])
    func `only a recent sign-in may delete`(age: Span, isAllowed: Bool) throws {
        let policy = DeletionKit.policy.with { $0.accessTokens.lifetime = .days(3) }
        let world = try DeletionKit(policy: policy)
        let tokens = try world.kit.session(of: "001")
        world.clock.advance(by: age)
        let error = world.kit.error { try world.delete(tokens) }
        expectEqual(error, isAllowed ? nil : .recentSignInRequired())
        try expectEqual(
            world.kit.user(tokens.user.id)?.deletedAt, isAllowed ? world.clock.now : nil)
    }

    @Test func `a refreshed session is as old as its sign-in`() throws {
        let world = try DeletionKit()
        let tokens = try world.kit.session(of: "001")
        world.clock.advance(by: .minutes(11))
        let later = try world.kit.refresh(tokens.refresh.reveal(), Caller())
        expectEqual(world.kit.error { try world.delete(later) }, .recentSignInRequired())
    }

    @Test func `a contract may accept any session`() throws {
        let world = try DeletionKit(
            policy: DeletionKit.policy.with {
                $0.deletion.requiresRecentSignIn = false
                $0.accessTokens.lifetime = .days(3)
            })
        let tokens = try world.kit.session(of: "001")
        world.clock.advance(by: .days(2))
        try world.delete(tokens)
        #expect(try world.kit.user(tokens.user.id)?.deletedAt != nil)
    }

    @Test func `the same identity and address make a new account`() throws {
        let world = try DeletionKit()
        let old = try world.fullAccount()
        try world.delete(old)
        let new = try world.kit.session(of: "001")
        #expect(new.user.id != old.user.id && new.user.login == "001@example.com")
        expectEqual(new.user.publicID, 2)
        // Erasing the old account does not affect the new one.
        world.kit.finishReply()
        world.clock.advance(by: .minutes(65))
        try world.housekeep()
        world.clock.advance(by: .days(30))
        try world.housekeep()
        try expectEqual(world.kit.user(old.user.id), nil)
        try expectEqual(world.kit.session(of: "001").user.id, new.user.id)
        let address = try world.kit.email("001@example.com")
        let owner = try world.memory.get(StoreLayout.emailClaim(address))
        expectEqual(owner?.attributes["user"], .text(new.user.id.text))
    }

    @Test func `an account that is changed concurrently is deleted as changed`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let principal = try world.principal(tokens)
        let kit = world.kit
        world.store.beforeNextWrite { try kit.change(tokens.user.id) { $0.displayName = "Ada" } }
        try kit.auth.deleteAccount(principal, kit.caller(tokens))
        #expect(try kit.user(tokens.user.id)?.deletedAt != nil)
        try expectEqual(world.jobs().count, 1)
    }

    @Test func `an account that is disabled concurrently is not deleted`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let principal = try world.principal(tokens)
        let kit = world.kit
        world.store.beforeNextWrite { try kit.change(tokens.user.id) { $0.isDisabled = true } }
        #expect(throws: AuthError.account(.disabled)) {
            try kit.auth.deleteAccount(principal, kit.caller(tokens))
        }
        try expectEqual(kit.user(tokens.user.id)?.deletedAt, nil)
        #expect(try world.jobs().isEmpty)
    }

    @Test func `of two concurrent deletions one succeeds`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let principal = try world.principal(tokens)
        let kit = world.kit
        world.store.beforeNextWrite { try kit.auth.deleteAccount(principal, Caller()) }
        #expect(throws: AuthError.accessToken(.sessionEnded)) {
            try kit.auth.deleteAccount(principal, kit.caller(tokens))
        }
        try expectEqual(world.jobs().count, 1)
        #expect(throws: AuthError.accessToken(.sessionEnded)) { try world.principal(tokens) }
    }

    // MARK: What reads accounts

    @Test func `a deleted account has no session, no refresh and no storage credentials`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let other = try world.kit.session(of: "001")
        try world.delete(tokens)
        for session in [tokens, other] {
            let caller = Caller(bearerText: session.access.reveal())
            #expect(throws: AuthError.accessToken(.sessionEnded)) {
                try world.kit.authenticate(session.access.reveal())
            }
            #expect(throws: AuthError.accessToken(.sessionEnded)) {
                try world.kit.credentials(IssueCredentials.Input(), caller)
            }
            #expect(throws: AuthError.refreshToken(.sessionEnded)) {
                try world.kit.refresh(session.refresh.reveal(), Caller())
            }
        }
        world.kit.finishReply()
        // The rows by which refresh tokens are found are gone as well.
        #expect(throws: AuthError.refreshToken(.unknown)) {
            try world.kit.refresh(other.refresh.reveal(), Caller())
        }
    }

    @Test func `a deleted account cannot log in, reset its password or be administered`() throws {
        let world = try DeletionKit()
        let user = try world.kit.account()
        let tokens = try world.kit.logIn()
        try world.kit.auth.forgotPassword(try world.kit.email(), Caller())
        world.kit.finishReply()
        let link = try world.kit.mailedToken()
        try world.delete(tokens)
        for isErased in [false, true] {
            if isErased { world.kit.finishReply() }
            #expect(throws: AuthError.password(.wrongCredentials)) { try world.kit.logIn() }
            #expect(throws: AuthError.emailLink(.invalid)) {
                try world.kit.auth.resetPassword(
                    token: link, newPassword: "another password", Caller())
            }
            #expect(throws: AuthError.administration(.userNotFound)) {
                try world.kit.auth.administerUser(
                    "\(user.publicID ?? 0)", .enable, by: .password, Caller())
            }
            #expect(try world.kit.auth.findUsers.all(limit: 10, after: nil).users.isEmpty)
            let found = try world.kit.auth.findUsers.users(withEmail: "ada@example.com")
            #expect(found.users.isEmpty)
        }
        // Its address can be registered again, without any trace of the earlier account.
        let again = try world.kit.account()
        #expect(again.id != user.id)
        try expectEqual(world.kit.logIn().user.id, again.id)
    }

    @Test func `a concurrent refresh leaves no active session`() throws {
        let world = try DeletionKit()
        let tokens = try world.fullAccount()
        let kit = world.kit
        world.store.beforeNextWrite {
            _ = try kit.refresh(tokens.refresh.reveal(), Caller())
        }
        try world.delete(tokens)
        world.kit.finishReply()
        try expectEqual(
            world.rows(of: tokens.user), ["DELETION 2023-11-14T23:18:20.000Z", "USER PROFILE"])
    }
}

/// The keys of the rows that refer to an account, defined independently of the product.
enum AccountDeletionKeys {
    static func of(_ user: User) throws -> [ItemKey] {
        let address = try #require(EmailAddress(parsing: "001@example.com"))
        return [
            StoreLayout.identity(issuer: "https://apple.example.com", subject: "001"),
            StoreLayout.emailClaim(address), StoreLayout.emailUser(address, user.id),
            StoreLayout.directory(user),
            StoreLayout.publicID(1),
        ]
    }
}

extension User {
    func with(_ change: (inout User) -> Void) -> User {
        var user = self
        change(&user)
        return user
    }
}
