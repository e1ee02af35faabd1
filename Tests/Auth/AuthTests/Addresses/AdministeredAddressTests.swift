@Suite("Addresses changed by administrators") struct AdministeredAddressTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore(.emailChanges()) }

    private func change(
        _ id: UserID, to email: String, by administrator: Administrator = .password
    ) throws -> User {
        try kit.auth.administerUser(
            id.text, .setEmail(try kit.email(email)), by: administrator,
            Caller(address: "192.0.2.1"))
    }

    @Test func `the old address is notified, and can be restored`() throws {
        let id = try kit.account().id
        let tokens = try kit.logIn()
        kit.clock.advance(by: .seconds(1))
        let user = try change(id, to: "ada@new.example")
        #expect(user.email == "ada@new.example" && user.isEmailVerified)
        try expectEqual(kit.logIn("ada@new.example").user.id, id)
        try expectEqual(kit.authenticate(tokens).user.id, id)
        let event = try #require(
            try kit.auditItems(of: id).map { try AuditRecord($0).entry }
                .first { $0.event == "emailChanged" })
        expectEqual(event.maker, "password")
        kit.finishReply()
        expectEqual(kit.mails(to: "ada@example.com").last, .emailChanged)
        expectEqual(kit.mail.mails.last?.values["address"], "-")
        try kit.undo(try #require(kit.undoToken))
        try expectEqual(kit.logIn().user.id, id)
    }

    @Test func `a change to the same address has no effect`() throws {
        let id = try kit.account().id
        let before = try kit.user(id)
        _ = try change(id, to: "ada@example.com")
        try expectEqual(kit.user(id), before)
        kit.finishReply()
        #expect(!kit.mail.mails.contains { $0.kind == .emailChanged })
    }

    @Test func `an address of another account is refused`() throws {
        let id = try kit.account().id
        try kit.account("eve@example.com")
        expectError(.account(.emailTaken)) { try change(id, to: "eve@example.com") }
        let kit = kit
        store.beforeNextWrite { try kit.account("bob@example.com") }
        expectError(.account(.emailTaken)) { try change(id, to: "bob@example.com") }
        try expectEqual(kit.logIn().user.id, id)
    }
}
