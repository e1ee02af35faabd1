import BaseTestSupport

/// Accounts are merged through the deployed template: routes, policies, STS, S3, the schedule.
@Suite("Merge flows", .serialized, .hangLimit, .onEveryStore)
struct MergeFlowTests {
    @Test func `latchkey merges a guest into an account, and copies its objects`() throws {
        let deployed = try DeployedTemplate("latchkey")
        func signIn() throws -> DeployedTemplate.Answer {
            try deployed.signIn("google", ["sub": "ada"])
        }
        func bucket(_ session: DeployedTemplate.Answer) throws -> DeployedTemplate.Answer {
            try deployed.ask(.post, "/auth/credentials", [:], bearer: session.text("accessToken"))
        }
        let owner = try signIn()
        let guest = try deployed.ask(.post, "/auth/guest", [:])
        let ownerID = try #require(owner.body["user"]?["id"]?.stringValue)
        let guestID = try #require(guest.body["user"]?["id"]?.stringValue)
        let granted = try bucket(guest)
        let ofGuest = try DeployedBucket(deployed, grantedBy: granted)
        let ofOwner = try DeployedBucket(deployed, grantedBy: try bucket(owner))
        let all = try DeployedBucket(deployed, ofDeveloper: granted)
        // More than a page.
        for name in ["a%20b", "c/d%2Be", "same", "both"] + (0..<120).map({ "many/\($0)" }) {
            try expectEqual(ofGuest.call(.put, "/users/\(guestID)/\(name)", name).status, 200)
        }
        try expectEqual(ofOwner.call(.put, "/users/\(ownerID)/same", "same").status, 200)
        try expectEqual(ofOwner.call(.put, "/users/\(ownerID)/both", "another").status, 200)
        // Nobody reads the objects of another user, and a source is not chosen by a client.
        try expectEqual(ofOwner.call(.get, "/users/\(guestID)/same").status, 403)

        let taken = try deployed.ask(
            .post, "/auth/methods",
            ["provider": "google", "idToken": try deployed.mint("google", ["sub": "ada"])],
            bearer: guest.text("accessToken"))
        #expect(taken.status == 409 && taken.body["error"]?["code"] == "IDENTITY_IN_USE")
        let request: JSON = [
            "merge": .string(try taken.text("merge")),
            "refreshToken": .string(try guest.text("refreshToken")),
        ]
        let merged = try deployed.ask(
            .post, "/auth/merge", request, bearer: guest.text("accessToken"))
        expectEqual(merged.status, 200, "\(merged.body.text)")
        expectEqual(merged.body["user"]?["id"]?.stringValue, ownerID)
        let again = try deployed.ask(
            .post, "/auth/merge", request, bearer: guest.text("accessToken"))
        expectEqual(again.body["refreshToken"], merged.body["refreshToken"])
        try expectEqual(
            deployed.ask(.get, "/auth/me", bearer: guest.text("accessToken")).status, 401)

        // The rest happens after the reply.
        let prefix = "/users/\(ownerID)/"
        #expect(try DeployedBucket.waits { try all.text(prefix + "c/d%2Be") == "c/d%2Be" })
        let listing = "?list-type=2&prefix=users%2F\(ownerID)%2F"
        #expect(try DeployedBucket.waits { try all.text(listing).components("<Key>") == 125 })
        let copied = [("many/119", "many/119"), ("a%20b", "a%20b"), ("both", "another")]
        for (name, text) in copied { try expectEqual(all.text(prefix + name), text) }
        #expect(try all.text(listing).contains("<Key>users/\(ownerID)/both.merged-"))
        let run = try deployed.invoke("HousekeepingFunction", [:])
        expectEqual(run.body["jobs"]?["merges"]?["failed"], 0, "\(run.body.text)")
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("account_erasure_failed"))
    }
}

extension String {
    fileprivate func components(_ separator: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: separator) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
