/// The transaction that deletes an account, and its effect on operations that read accounts.
@Suite("Delete account") struct DeleteAccountTests {
    @Test func `one transaction ends sessions, releases identities and records the job`() throws {
        let deletion = try DeletionKit()
        let tokens = try deletion.fullAccount()
        deletion.store.forgetCalls()
        try deletion.delete(tokens, Caller(address: "192.0.2.1"))
        let writes = deletion.store.calls.compactMap { call -> [Write]? in
            if case .write(let writes) = call { return writes }
            return nil
        }
        expectEqual(writes.count, 1)
        let user = tokens.user
        let kept = try #require(try deletion.kit.user(user.id))
        expectEqual(
            kept, user.deleted(at: deletion.clock.now).with { $0.revision = user.revision + 1 })
        expectEqual(kept.epoch, user.epoch + 1)
        // No row refers to the account any more.
        let elsewhere = try AccountDeletionKeys.of(user)
        for (key, item) in zip(elsewhere, try deletion.memory.get(elsewhere)) {
            expectEqual(item, nil, "\(key)")
        }
        let receipt = try #require(
            try deletion.kit.auditItems(of: user.id).map { try AuditRecord($0).entry }.last)
        #expect(receipt.event == "accountDeleted" && receipt.user == user.id)
        #expect(receipt.address == nil && receipt.userAgent == nil && receipt.session == nil)
        try expectEqual(deletion.jobs().map(\.user), [user.id])
    }

    @Test func `the tombstone has no personal data`() throws {
        let deletion = try DeletionKit()
        let tokens = try deletion.fullAccount()
        try deletion.delete(tokens)
        let profile = try #require(try deletion.memory.get(StoreLayout.profile(tokens.user.id)))
        expectEqual(
            Set(profile.attributes.keys),
            [
                "isEmailVerified", "identities", "epoch", "isDisabled", "isAdmin", "revision",
                "deletedAt", "createdAt", "updatedAt",
            ])
        expectEqual(profile.attributes["identities"], .bytes(Array("[]".utf8)))
    }

    @Test func `an account that is disabled concurrently is not deleted`() throws {
        let deletion = try DeletionKit()
        let tokens = try deletion.fullAccount()
        let principal = try deletion.principal(tokens)
        let kit = deletion.kit
        deletion.store.beforeNextWrite { try kit.change(tokens.user.id) { $0.isDisabled = true } }
        expectError(.account(.disabled)) {
            try kit.auth.deleteAccount(principal, kit.caller(tokens))
        }
        try expectEqual(kit.user(tokens.user.id)?.deletedAt, nil)
        #expect(try deletion.jobs().isEmpty)
    }

    // MARK: What reads accounts

    @Test func `a deleted account cannot log in, reset its password or be administered`() throws {
        let deletion = try DeletionKit()
        let user = try deletion.kit.account()
        let tokens = try deletion.kit.logIn()
        try deletion.kit.askForReset()
        let link = try deletion.kit.mailedToken()
        try deletion.delete(tokens)
        for isErased in [false, true] {
            if isErased { deletion.kit.finishReply() }
            expectError(.password(.wrongCredentials)) { try deletion.kit.logIn() }
            expectError(.emailLink(.invalid)) {
                try deletion.kit.reset(link, to: "another password")
            }
            expectError(.administration(.userNotFound)) {
                try deletion.kit.auth.administerUser(
                    "\(user.publicID ?? 0)", .enable, by: .password, Caller())
            }
            #expect(try deletion.kit.auth.findUsers.all(limit: 10, after: nil).users.isEmpty)
            let found = try deletion.kit.auth.findUsers.users(withEmail: "ada@example.com")
            #expect(found.users.isEmpty)
        }
        // Its address can be registered again, without any trace of the earlier account.
        let again = try deletion.kit.account()
        #expect(again.id != user.id)
        try expectEqual(deletion.kit.logIn().user.id, again.id)
    }
}

/// The keys of the rows that refer to an account, defined independently of the product.
enum AccountDeletionKeys {
    static func of(_ user: User) throws -> [ItemKey] {
        let address = try #require(EmailAddress(parsing: "001@example.com"))
        return [
            StoreLayout.identity(issuer: "https://apple.example.com", subject: "001"),
            StoreLayout.emailClaim(address), StoreLayout.emailUser(address, user.id),
            StoreLayout.directory(user), StoreLayout.publicID(1),
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
