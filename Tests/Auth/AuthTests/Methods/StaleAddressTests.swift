/// A provider replaces the address of an account, and the old one may go to another person.
@Suite("Stale addresses") struct StaleAddressTests {
    let kit: AuthKit

    init() throws {
        kit = try AuthKit(
            policy: .passwords().with {
                $0.accounts = AccountPolicy(
                    claimsEmail: true, followsProvider: true, isListed: true)
            })
    }

    private func signIn(_ email: String) throws -> SessionTokens {
        try #require(try kit.signIn("google", "001", email).tokens)
    }

    private func owner(_ text: String) throws -> Attribute? {
        try kit.store.get(StoreLayout.emailClaim(try kit.email(text)))?.attributes["user"]
    }

    private func isFound(_ user: UserID, _ text: String) throws -> Bool {
        try kit.auth.findUsers.users(withEmail: text).users.map(\.id) == [user]
    }

    @Test func `the claimed address follows the provider's`() throws {
        let id = try signIn("ada@corp.example").user.id
        let user = try signIn("ada@mail.example").user
        #expect(user.id == id && user.login == "ada@mail.example")
        try expectEqual(owner("ada@corp.example"), nil)
        try expectEqual(owner("ada@mail.example"), .text(id.text))
        #expect(try isFound(id, "ada@mail.example") && !isFound(id, "ada@corp.example"))
        // The new owner of the old address gets a separate account.
        let other = try kit.account("ada@corp.example")
        #expect(other.id != id)
    }

    @Test func `the old claim is released even if another account has the new address`() throws {
        let other = try kit.account("ada@mail.example")
        let id = try signIn("ada@corp.example").user.id
        let user = try signIn("ada@mail.example").user
        #expect(user.id == id && user.login == nil && user.email == "ada@mail.example")
        try expectEqual(owner("ada@corp.example"), nil)
        try expectEqual(owner("ada@mail.example"), .text(other.id.text))
    }

    @Test func `a sign-in repairs an account with a claim of its former address`() throws {
        let id = try signIn("ada@corp.example").user.id
        try kit.change(id) { $0.email = "ada@mail.example" }
        try expectEqual(signIn("ada@mail.example").user.login, "ada@mail.example")
        try expectEqual(owner("ada@corp.example"), nil)
    }

    /// The owner of that mailbox could take over the account by resetting the password.
    @Test func `no password is added for an address that the provider has replaced`() throws {
        let tokens = try signIn("ada@corp.example")
        try kit.change(tokens.user.id) { $0.email = "ada@mail.example" }
        func add(_ email: String?) throws -> AddPassword.Output {
            try kit.auth.addPassword(
                AuthKit.password, email: try email.map(kit.email), kit.caller(tokens))
        }
        expectError(.method(.addressRequired)) { try add(nil) }
        try expectEqual(add("ada@corp.example"), .linkSent(try kit.email("ada@corp.example")))
        try expectEqual(kit.methods(tokens), ["google"])
    }

    @Test func `both addresses get the notice of an added sign-in method`() throws {
        let tokens = try signIn("ada@corp.example")
        try kit.change(tokens.user.id) { $0.email = "ada@mail.example" }
        try kit.link("apple", "001", by: tokens)
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.methodAdded, .methodAdded])
        expectEqual(kit.mail.mails.map(\.to), ["ada@corp.example", "ada@mail.example"])
    }

    @Test func `both addresses get a notice when the provider replaces one`() throws {
        let tokens = try signIn("ada@corp.example")
        _ = try signIn("ada@corp.example")
        kit.finishReply()
        #expect(kit.mail.mails.isEmpty)
        try expectEqual(signIn("ada@new.example").user.id, tokens.user.id)
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.addressChanged, .addressChanged])
        expectEqual(kit.mail.mails.map(\.to), ["ada@corp.example", "ada@new.example"])
        #expect(kit.mail.mails.allSatisfy { $0.values["method"] == "google" })
    }

    @Test func `an unverified address gets no notice`() throws {
        let tokens = try signIn("ada@corp.example")
        try kit.change(tokens.user.id) {
            $0.email = "ada@mail.example"
            $0.isEmailVerified = false
        }
        try kit.link("apple", "001", by: tokens)
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.to), ["ada@corp.example"])
    }
}
