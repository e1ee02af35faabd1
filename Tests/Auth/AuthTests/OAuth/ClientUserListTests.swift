/// The users of a client, who are listed by a row beside each consent.
@Suite("Users of a client") struct ClientUserListTests {
    @Test func `a row of the list remains longer than the consent, and is seldom written`() throws {
        let user = try #require(UserID(parsing: "0b6f3c5e-4f5a-4f0e-9d1c-0d9f4a1c2b3d"))
        let given = Instant(seconds: 1_773_342_238)
        let consent = ConsentRecord(
            client: "printer", scope: ["openid"], resources: [], givenAt: given,
            description: nil, clientEpoch: 0)
        var end = given + .days(365)
        func ends(_ writes: [Write]) throws -> [Instant] {
            try writes.map { write in
                guard case .put(let row, _) = write else { return try #require(nil) }
                #expect(row.key == consent.listing(of: user))
                return try #require(row.expiresAt)
            }
        }
        var listed = try ends(consent.listing(of: user, replacing: nil, expiresAt: end))
        for day in 1...800 {
            let later = given + .days(365 + Int64(day))
            listed += try ends(consent.listing(of: user, prolongedFrom: end, to: later))
            end = later
            #expect(try #require(listed.last) > end)
        }
        #expect((26...28).contains(listed.count), "\(listed.count)")
    }
}
