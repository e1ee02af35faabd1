import AWSSignature
import BaseTestSupport
import Foundation
import HTTPClient

/// Accounts are deleted through the deployed template: routes, policies, STS, S3, mail, schedule.
@Suite("Deletion flows", .serialized, .hangLimit, .onEveryStore)
struct DeletionFlowTests {
    private static let email: JSONObject = ["email": "ada@example.org"]

    @Test func `latchkey deletes an account, its objects and its uploads`() throws {
        let deployed = try DeployedTemplate("latchkey")
        func signIn() throws -> DeployedTemplate.Answer {
            let answer = try deployed.signIn("apple", Self.email)
            try #require(answer.status == 200, "\(answer.body.text)")
            return answer
        }
        let session = try signIn()
        let bearer = try session.text("accessToken")
        let id = try #require(session.body["user"]?["id"]?.stringValue)
        let granted = try deployed.ask(.post, "/auth/credentials", [:], bearer: bearer)
        let own = try DeployedBucket(deployed, grantedBy: granted)
        let all = try DeployedBucket(deployed, ofDeveloper: granted)
        for name in ["a%20b", "c/d"] {
            try expectEqual(own.call(.put, "/users/\(id)/\(name)", "photo").status, 200)
        }
        try expectEqual(own.call(.post, "/users/\(id)/movie?uploads=").status, 200)
        try expectEqual(all.call(.put, "/users/\(id)0/theirs", "photo").status, 200)

        let deleted = try deployed.ask(.delete, "/auth/account", bearer: bearer)
        expectEqual(deleted.status, 204, "\(deleted.body.text)")
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 401)
        let refreshed = try deployed.ask(
            .post, "/auth/refresh", ["refreshToken": .string(try session.text("refreshToken"))])
        expectEqual(refreshed.status, 401)
        // The rest happens after the reply.
        #expect(
            try DeployedBucket.waits {
                try !all.text("?list-type=2&prefix=users%2F\(id)%2F").contains("<Key>")
            })
        #expect(try !all.text("?uploads=").contains("<UploadId>"))
        #expect(try all.text("?list-type=2").contains("<Key>users/\(id)0/theirs</Key>"))
        let mail = try deployed.ask(
            .get, "/_emulator/mail/wait?to=ada@example.org&timeoutSeconds=120")
        #expect(mail.body.text.contains("deleted"), "\(mail.body.text)")

        let again = try signIn()
        expectEqual(again.body["isNewUser"], true)
        #expect(again.body["user"]?["id"]?.stringValue != id)
        let run = try deployed.invoke("HousekeepingFunction", [:])
        expectEqual(run.body["jobs"]?["deletions"]?["failed"], 0, "\(run.body.text)")
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("account_erasure_failed"))
    }

    /// STS gets a token of Latchkey. It is signed with the keys that verified the user's token, so
    /// the function needs no permission to write keys, not even when they must be encrypted with
    /// another master key.
    @Test func `latchkey deletes objects by web identity`() throws {
        let deployed = try DeployedTemplate("latchkey") { resources in
            for name in ["DeleteAccountFunction", "KeysFunction"] {
                try resources.change(name, "Properties", "Environment", "Variables") {
                    $0["MASTER_KEY_PREVIOUS"] = $0["MASTER_KEY"]
                    $0["MASTER_KEY"] = "a master key that replaced that of the template"
                    if name == "DeleteAccountFunction" {
                        $0["STORAGE_CREDENTIALS"] = "web-identity"
                    }
                }
            }
            let role = "AssumeRolePolicyDocument"
            try resources.change("StorageRole", "Properties", role) { policy in
                guard var own = policy["Statement"]?.arrayValue?.first?.objectValue else { return }
                let first = JSON.object(own)
                own["Action"] = ["sts:AssumeRoleWithWebIdentity", "sts:TagSession"]
                own["Principal"] = [
                    "Federated": [
                        "Fn::Join": [
                            "oidc-provider/",
                            [
                                ["Fn::Sub": "arn:aws:iam::${AWS::AccountId}:"],
                                [
                                    "Fn::Select": [
                                        1, ["Fn::Split": ["//", ["Ref": "Issuer"]]],
                                    ]
                                ],
                            ],
                        ]
                    ]
                ]
                policy["Statement"] = [first, .object(own)]
            }
        }
        let session = try deployed.signIn("apple", Self.email)
        let bearer = try session.text("accessToken")
        let id = try #require(session.body["user"]?["id"]?.stringValue)
        let granted = try deployed.ask(.post, "/auth/credentials", [:], bearer: bearer)
        let all = try DeployedBucket(deployed, ofDeveloper: granted)
        try expectEqual(all.call(.put, "/users/\(id)/photo", "photo").status, 200)
        let deleted = try deployed.ask(.delete, "/auth/account", bearer: bearer)
        expectEqual(deleted.status, 204, "\(deleted.body.text)")
        #expect(
            try DeployedBucket.waits {
                try !all.text("?list-type=2&prefix=users%2F\(id)%2F").contains("<Key>")
            })
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("account_erasure_failed"))
    }
}
