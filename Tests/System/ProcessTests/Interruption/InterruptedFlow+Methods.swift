import AuthDomain
import AuthRecords
import JSON
import KeyValueStore
import TestSupport
import Testing

// Sign-in methods are added to an account and removed.
extension InterruptedFlow {
    static let methods = [
        linkedIdentity, requestedPassword, confirmedPassword, removedMethod, removedToken,
        revokedToken,
    ]

    private static let linkedIdentity = InterruptedFlow(
        name: "linking an identity", changesMin: 3
    ) { person in
        try person.makeAccount()
        let session = try SignedIn(person.logIn())
        let accounts = try person.deployment.accountCount()
        let request = try person.link(session)
        return Interruption(request: request) { hasReplied in
            let isLinked = try person.methods(session).contains("acme")
            #expect(isLinked || !hasReplied, person.place)
            // The identity token is used up by the link and by nothing else.
            let again = try person.send(request)
            expectEqual(again.status, isLinked ? 401 : 201, person.place)
            try expectEqual(person.send(person.link(session)).status, 409, person.place)
            try expectEqual(person.methods(session), ["email", "acme"], person.place)
            try expectEqual(person.signInByAcme().user, session.user, person.place)
            try expectEqual(SignedIn(person.logIn()).user, session.user, person.place)
            try expectEqual(person.deployment.accountCount(), accounts, person.place)
            try person.expectNotice("There is a new way to sign in")
        }
    }

    private static let requestedPassword = InterruptedFlow(
        name: "request for a password with an address", changesMin: 3
    ) { person in
        let session = try person.signInByApple()
        let request = person.addPassword(session)
        return Interruption(request: request) { hasReplied in
            try expectEqual(person.send(request).status, 202, person.place)
            try person.deployment.keepHouse()
            let links = try person.passwordLinks()
            #expect(links.count == 2 || (links.count == 1 && !hasReplied), person.place)
            for link in links {
                let key = try #require(AccountLink(parsing: link), person.place).key(.addPassword)
                #expect(try person.deployment.functions.store().get(key) != nil, person.place)
            }
            let confirmed = try person.send(person.confirmPassword(links[0], session))
            expectEqual(confirmed.status, 201, person.place)
            for link in links {
                let again = try person.send(person.confirmPassword(link, session))
                #expect((400..<500).contains(again.status), person.place)
            }
            let next = try SignedIn(person.logIn(as: person.otherEmail))
            expectEqual(next.user, session.user, person.place)
        }
    }

    private static let confirmedPassword = InterruptedFlow(
        name: "confirmation of a password", changesMin: 3
    ) { person in
        let session = try person.signInByApple()
        try expectEqual(person.send(person.addPassword(session)).status, 202, person.place)
        let link = try #require(try person.passwordLinks().first, person.place)
        return Interruption(request: person.confirmPassword(link, session)) { hasReplied in
            let isAdded = try person.logIn(as: person.otherEmail).status == 200
            #expect(isAdded || !hasReplied, person.place)
            let again = try person.send(person.confirmPassword(link, session))
            expectEqual(again.status, isAdded ? 400 : 201, person.place)
            let next = try SignedIn(person.logIn(as: person.otherEmail))
            expectEqual(next.user, session.user, person.place)
            try expectEqual(person.signInByApple().user, session.user, person.place)
            try person.expectNotice("There is a new way to sign in")
        }
    }

    private static let removedMethod = InterruptedFlow(
        name: "removal of a way to sign in", changesMin: 3
    ) { person in
        try person.makeAccount()
        let session = try SignedIn(person.logIn())
        try expectEqual(person.send(person.link(session)).status, 201, person.place)
        let request = person.deployment.command(
            "methods", to: "DELETE /auth/methods/acme", bearer: session.accessToken)
        return Interruption(request: request) { hasReplied in
            let me = try person.deployment.run("me", bearer: session.accessToken)
            #expect(me.status == 401 || (me.status == 200 && !hasReplied), person.place)
            if me.status == 200 { try expectEqual(person.send(request).status, 200, person.place) }
            let next = try SignedIn(person.logIn())
            expectEqual(next.user, session.user, person.place)
            try expectEqual(person.methods(next), ["email"], person.place)
            // The identity is free for another account.
            #expect(try person.signInByAcme().user != session.user, person.place)
            try person.expectNotice("A way to sign in")
        }
    }

    private static let removedToken = InterruptedFlow(
        name: "removal of an identity with a token", changesMin: 3
    ) { person in
        let owner = try TokenOwner(person)
        return Interruption(request: owner.removal) { hasReplied in
            let me = try person.deployment.run("me", bearer: owner.session.accessToken)
            #expect(me.status == 401 || (me.status == 200 && !hasReplied), person.place)
            if me.status == 200 {
                #expect(!person.deployment.apple.revoked.contains(owner.token), person.place)
                try expectEqual(person.send(owner.removal).status, 200, person.place)
            }
            try owner.expectRevoked()
        }
    }

    /// After the removal.
    private static let revokedToken = InterruptedFlow(
        name: "revocation by housekeeping", changesMin: 4
    ) { person in
        let owner = try TokenOwner(person)
        try expectEqual(person.send(owner.removal).status, 200, person.place)
        return Interruption(request: person.deployment.housekeeping) { _ in
            try owner.expectRevoked()
        }
    }
}

/// The owner of an account with two identities, of which Apple's has a token.
private struct TokenOwner {
    let person: Person
    let session: SignedIn
    let token: String

    init(_ person: Person) throws {
        self.person = person
        let apple = person.deployment.apple
        let known = apple.issued
        session = try SignedIn(
            person.deployment.run("signin", apple.signIn(person.email, withCode: true)))
        token = try #require(apple.issued.subtracting(known).first, person.place)
        try expectEqual(person.send(person.link(session)).status, 201, person.place)
        // Its mail is sent before the interrupted request.
        try person.deployment.keepHouse()
    }

    var removal: Command {
        person.deployment.command(
            "methods", to: "DELETE /auth/methods/apple", bearer: session.accessToken)
    }

    /// The token is revoked at the latest by the next run of housekeeping. The account remains.
    func expectRevoked() throws {
        let deployment = person.deployment
        try deployment.keepHouse()
        #expect(deployment.apple.revoked.contains(token), person.place)
        let grants = try deployment.functions.store().query(
            PartitionQuery(
                StoreLayout.profile(session.user).partition, prefix: "GRANT#", limit: 10))
        #expect(grants.items.isEmpty, person.place)
        #expect(try !deployment.deletions().contains { $0.user == session.user }, person.place)
        try expectEqual(person.signInByAcme().user, session.user, person.place)
        #expect(try person.signInByApple().user != session.user, person.place)
    }
}

extension Person {
    /// Another address of the same user.
    fileprivate var otherEmail: String { "other-\(email)" }

    fileprivate func signInByApple() throws -> SignedIn {
        try SignedIn(
            deployment.run("signin", deployment.apple.signIn(email, withCode: false)))
    }

    fileprivate func signInByAcme() throws -> SignedIn { try deployment.functions.signIn(email) }

    /// With a new identity token each time.
    fileprivate func link(_ session: SignedIn) throws -> Command {
        deployment.command(
            "link", try deployment.functions.signInBody(of: email), bearer: session.accessToken)
    }

    fileprivate func methods(_ session: SignedIn) throws -> [String] {
        let answer = try deployment.run("methods", bearer: session.accessToken)
        let methods = try #require(answer.body["methods"]?.arrayValue, place)
        return methods.compactMap { $0["method"]?.stringValue }
    }

    fileprivate func addPassword(_ session: SignedIn) -> Command {
        deployment.command(
            "add-password", ["email": .string(otherEmail), "password": .string(password)],
            bearer: session.accessToken)
    }

    fileprivate func confirmPassword(_ link: String, _ session: SignedIn) -> Command {
        deployment.command(
            "add-password", ["token": .string(link)], to: "POST /auth/methods/password/confirm",
            bearer: session.accessToken)
    }

    fileprivate func passwordLinks() throws -> [String] {
        try deployment.links("add-password", to: otherEmail)
    }

    /// The owner gets a notice of each change.
    fileprivate func expectNotice(_ text: String) throws {
        try deployment.keepHouse()
        let mails = try deployment.mails(to: email)
        #expect(mails.contains { $0.contains(text) }, place)
    }
}
