import AuthTestSupport
import TestSupport

// A request that sends a mail, and one that changes several rows.
extension InterruptedFlow {
    static let passwords = [registrationByLink, change]

    private static let other = "battery staple horse"

    private static let registrationByLink = InterruptedFlow(
        name: "registration that is completed by a link", changesMin: 4
    ) { person in
        Interruption(request: person.deployment.command("register", person.account)) { hasReplied in
            // Without a reply the user registers again. Links of both work.
            try expectEqual(person.register().status, 202, person.place)
            try person.deployment.keepHouse()
            let links = try person.registrationLinks()
            expectEqual(links.count, try registrations(of: person), person.place)
            #expect(links.count == 2 || (links.count == 1 && !hasReplied), person.place)
            let accounts = try person.deployment.accountCount()
            try expectEqual(person.verify(links[0]).status, 201, person.place)
            for link in links { try expectEqual(person.verify(link).status, 400, person.place) }
            try expectEqual(person.logIn().status, 200, person.place)
            try expectEqual(person.deployment.accountCount(), accounts + 1, person.place)
        }
    }

    private static let change = InterruptedFlow(
        name: "change of a password", changesMin: 3
    ) { person in
        try person.makeAccount()
        let session = try SignedIn(person.logIn())
        let request = person.deployment.command(
            "change-password",
            ["currentPassword": .string(person.password), "newPassword": .string(other)],
            bearer: session.accessToken)
        return Interruption(request: request) { hasReplied in
            let isChanged = try person.logIn(other).status == 200
            #expect(isChanged || !hasReplied, person.place)
            // The session ends with the old password.
            try expectEqual(person.send(request).status, isChanged ? 401 : 200, person.place)
            try expectEqual(person.logIn().status, 401, person.place)
            try expectEqual(person.logIn(other).status, 200, person.place)
            try person.deployment.keepHouse()
        }
    }

    /// Registrations of the address that can be completed.
    private static func registrations(of person: Person) throws -> Int {
        let address = try #require(EmailAddress(parsing: person.email))
        let query = PartitionQuery(StoreLayout.registrations(address), limit: 10)
        return try person.deployment.functions.store().query(query).items.count
    }
}
