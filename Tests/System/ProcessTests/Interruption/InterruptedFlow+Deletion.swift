import AuthTestSupport
import TestSupport

// The object storage and Apple: what a deletion leaves to housekeeping.
extension InterruptedFlow {
    static let deletions = [erasure]

    /// Continues a deletion of which only the first transaction was committed.
    private static let erasure = InterruptedFlow(
        name: "erasure by housekeeping", changesMin: 11
    ) { person in
        let owner = try AccountOwner(person)
        let outcome = try person.deployment.proxy.run(
            owner.deletion, killedAt: .firstTransaction, .beforeResponse)
        #expect(outcome.wasKilled, person.place)
        try person.deployment.endLeases()
        return Interruption(request: person.deployment.housekeeping) { _ in
            try owner.expectDeleted()
        }
    }
}

/// The owner of an account with everything that a deletion must erase: Apple's refresh token,
/// objects and an upload that is under way.
private struct AccountOwner {
    let person: Person
    let session: SignedIn
    private let appleToken: String
    private let deployment: InterruptibleDeployment

    private var prefix: String { "users/\(session.user.text)" }

    init(_ person: Person) throws {
        self.person = person
        deployment = person.deployment
        let known = deployment.apple.issued
        session = try SignedIn(
            deployment.run("signin", deployment.apple.signIn(person.email, withCode: true)))
        appleToken = try #require(deployment.apple.issued.subtracting(known).first, person.place)
        try deployment.storage(.put, "/\(prefix)/photo", "photo")
        try deployment.storage(.put, "/\(prefix)0/photo", "of another user")
        try deployment.storage(.post, "/\(prefix)/movie?uploads=")
    }

    var deletion: Command {
        deployment.command("delete-account", bearer: session.accessToken)
    }

    /// The account cannot be used any more, and its data is erased at the latest by the next run of
    /// housekeeping. Its identity and its address are free at once.
    func expectDeleted() throws {
        let place = person.place
        try expectEqual(deployment.run("me", bearer: session.accessToken).status, 401, place)
        try expectEqual(deployment.functions.refresh(session.refreshToken).status, 401, place)
        let next = try SignedIn(
            deployment.run("signin", deployment.apple.signIn(person.email, withCode: false)))
        #expect(next.user != session.user, place)
        try deployment.keepHouse()

        let store = try deployment.functions.store()
        let rows = try store.query(
            PartitionQuery(StoreLayout.profile(session.user).partition, limit: 100))
        expectEqual(rows.items.map(\.key), [StoreLayout.profile(session.user)], place)
        #expect(deployment.apple.revoked.contains(appleToken), place)
        let objects = try deployment.storage(.get, "/?list-type=2&prefix=users%2F")
        #expect(!objects.contains("<Key>\(prefix)/"), place)
        #expect(objects.contains("<Key>\(prefix)0/photo</Key>"), place)
        #expect(try !deployment.storage(.get, "/?uploads=").contains("<Key>\(prefix)/"), place)
        let notices = try deployment.mails(to: person.email)
        #expect(notices.contains { $0.contains("was deleted") }, place)
        // Only the second run remains, which is due when every storage credential has expired.
        let job = try #require(try deployment.deletions().first { $0.user == session.user }, place)
        #expect(job.attempts == 0 && job.due == job.deletedAt + DeletionSchedule.secondRun, place)

        // The new account is independent of the old one.
        try expectEqual(deployment.run("me", bearer: next.accessToken).status, 200, place)
        let claim = StoreLayout.emailClaim(try #require(EmailAddress(parsing: person.email)))
        try expectEqual(store.get(claim)?.attributes["user"], .text(next.user.text), place)
    }
}
