import AuthDomain
import JSON
import TestSupport
import Testing

// Registration and sign-in by mailed links alone.
extension InterruptedFlow {
    static let magicLinks = [requestedLink, redeemedLink]

    private static let requestedLink = InterruptedFlow(
        name: "request for a magic link", changesMin: 4
    ) { person in
        let accounts = try person.deployment.accountCount()
        return Interruption(request: person.requestLink) { hasReplied in
            let secret = try person.requestedSecret()
            try person.deployment.keepHouse()
            let links = try person.magicLinks()
            #expect(links.count == 2 || (links.count == 1 && !hasReplied), person.place)
            // A link works with the secret of its own request only.
            var answers: [Int64] = []
            for link in links {
                answers.append(try person.send(person.redeem(link, secret)).status)
            }
            expectEqual(answers.filter { $0 == 200 }.count, 1, person.place)
            for link in links {
                try expectEqual(person.send(person.redeem(link, secret)).status, 400, person.place)
            }
            try expectEqual(person.deployment.accountCount(), accounts + 1, person.place)
        }
    }

    private static let redeemedLink = InterruptedFlow(
        name: "registration by a magic link", changesMin: 1
    ) { person in
        let accounts = try person.deployment.accountCount()
        let secret = try person.requestedSecret()
        let link = try #require(try person.magicLinks().first, person.place)
        let request = person.redeem(link, secret)
        return Interruption(request: request) { hasReplied in
            let isRedeemed = try person.deployment.accountCount() == accounts + 1
            #expect(isRedeemed || !hasReplied, person.place)
            let again = try person.send(request)
            expectEqual(again.status, isRedeemed ? 400 : 200, person.place)
            // Another link signs in, whether or not the session exists.
            let next = try person.requestedSecret()
            let newest = try #require(try person.magicLinks().last, person.place)
            let session = try person.send(person.redeem(newest, next))
            #expect(session.status == 200 && session.body["isNewUser"] == false, person.place)
            try expectEqual(person.deployment.accountCount(), accounts + 1, person.place)
        }
    }
}

extension Person {
    fileprivate var requestLink: Command {
        deployment.command("magic-link", ["email": .string(email)])
    }

    fileprivate func requestedSecret() throws -> String {
        try #require(try send(requestLink).body["requestSecret"]?.stringValue, place)
    }

    fileprivate func redeem(_ link: String, _ secret: String) -> Command {
        deployment.command(
            "redeem-magic-link",
            ["token": .string(link), "requestSecret": .string(secret)],
            to: "POST /auth/magic-link/redeem")
    }

    fileprivate func magicLinks() throws -> [String] {
        try deployment.links("magic-link", to: email)
    }
}
