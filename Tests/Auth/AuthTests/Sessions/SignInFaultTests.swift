@Suite("SignIn under faults") struct SignInFaultTests {
    @Test func `an identity without its account is an internal error, not a new account`() throws {
        let kit = try AuthKit()
        let owner = StoreLayout.identity(issuer: "https://apple.example.com", subject: "001")
        for value in [
            Attribute.text("not an id"), .integer(1), .text(UserID(random: .seeded(9)).text),
        ] {
            try kit.store.write([.put(Item(owner, ["user": value]), when: [])])
            expectError(.fault(.storedDataUnreadable)) { try kit.session(of: "001") }
        }
    }
}
