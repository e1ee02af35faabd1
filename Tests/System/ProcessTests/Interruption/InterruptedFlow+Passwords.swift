import AuthDomain
import AuthRecords
import JSON
import KeyValueStore
import TestSupport
import Testing

// Registration, verification, reset and change of a password.
extension InterruptedFlow {
    static let passwords = [
        registrationByLink, immediateRegistration, verification, forgottenPassword, reset, change,
    ]

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

    private static let immediateRegistration = InterruptedFlow(
        name: "registration that is complete at once", contract: "shell",
        password: "Secret-1234", changesMin: 2
    ) { person in
        let accounts = try person.deployment.accountCount()
        let request = person.deployment.command("register", person.account)
        return Interruption(request: request) { hasReplied in
            let isRegistered = try person.logIn().status == 200
            #expect(isRegistered || !hasReplied, person.place)
            let again = try person.register()
            expectEqual(again.status, isRegistered ? 400 : 201, person.place)
            try expectEqual(person.logIn().status, 200, person.place)
            try expectEqual(person.deployment.accountCount(), accounts + 1, person.place)
        }
    }

    private static let verification = InterruptedFlow(
        name: "verification of an address", changesMin: 1
    ) { person in
        let accounts = try person.deployment.accountCount()
        try expectEqual(person.register().status, 202, person.place)
        let link = try #require(try person.registrationLinks().first, person.place)
        let request = person.deployment.command("verify-email", person.verification(link))
        return Interruption(request: request) { hasReplied in
            let isVerified = try person.logIn().status == 200
            #expect(isVerified || !hasReplied, person.place)
            try expectEqual(person.verify(link).status, isVerified ? 400 : 201, person.place)
            try expectEqual(person.logIn().status, 200, person.place)
            try expectEqual(person.deployment.accountCount(), accounts + 1, person.place)
        }
    }

    private static let forgottenPassword = InterruptedFlow(
        name: "request for a new password", changesMin: 4
    ) { person in
        try person.makeAccount()
        return Interruption(request: person.forgotPassword) { hasReplied in
            try expectEqual(person.send(person.forgotPassword).status, 202, person.place)
            try person.deployment.keepHouse()
            let links = try person.resetLinks()
            #expect(links.count == 2 || (links.count == 1 && !hasReplied), person.place)
            for link in links {
                let key = try #require(AccountLink(parsing: link), person.place).key(.resetPassword)
                #expect(try person.deployment.functions.store().get(key) != nil, person.place)
            }
            try expectEqual(person.logIn().status, 200, person.place)
            try expectReset(person, links[0], from: person.password, to: other)
            // The reset ended every other link.
            for link in links {
                let again = try person.send(person.resetPassword(link, to: person.password))
                expectEqual(again.status, 400, person.place)
            }
        }
    }

    private static let reset = InterruptedFlow(
        name: "reset of a password", changesMin: 3
    ) { person in
        try person.makeAccount()
        try expectEqual(person.send(person.forgotPassword).status, 202, person.place)
        let link = try #require(try person.resetLinks().first, person.place)
        return Interruption(request: person.resetPassword(link, to: other)) { hasReplied in
            let isReset = try person.logIn(other).status == 200
            try expectEqual(person.logIn().status, isReset ? 401 : 200, person.place)
            #expect(isReset || !hasReplied, person.place)
            let again = try person.send(person.resetPassword(link, to: other))
            expectEqual(again.status, isReset ? 400 : 204, person.place)
            try person.deployment.keepHouse()
            let notices = try person.deployment.mails(to: person.email)
                .filter { $0.contains("password") && !$0.contains("reset-password?") }
            #expect(!notices.isEmpty, person.place)
            // A new link works, whether or not the old one was used.
            try expectEqual(person.send(person.forgotPassword).status, 202, person.place)
            let fresh = try #require(try person.resetLinks().last, person.place)
            #expect(fresh != link, person.place)
            try expectReset(person, fresh, from: other, to: person.password)
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

    private static func expectReset(
        _ person: Person, _ link: String, from old: String, to new: String
    ) throws {
        try expectEqual(person.send(person.resetPassword(link, to: new)).status, 204, person.place)
        try expectEqual(person.logIn(old).status, 401, person.place)
        try expectEqual(person.logIn(new).status, 200, person.place)
    }

    /// Registrations of the address that can be completed.
    private static func registrations(of person: Person) throws -> Int {
        let address = try #require(EmailAddress(parsing: person.email))
        let query = PartitionQuery(StoreLayout.registrations(address), limit: 10)
        return try person.deployment.functions.store().query(query).items.count
    }
}
