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
            let answer = try deployed.ask(
                .post, "/auth/signin",
                ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
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
        let session = try deployed.ask(
            .post, "/auth/signin",
            ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
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

    @Test func `latchkey follows Apple's notifications, and exports an account`() throws {
        let deployed = try DeployedTemplate("latchkey")
        func signIn() throws -> DeployedTemplate.Answer {
            try deployed.ask(
                .post, "/auth/signin",
                ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
        }
        func notify(_ type: String, fault: String? = nil) throws -> JSON {
            let url = deployed.emulator.appURL + "/auth/apple/notifications"
            var body: JSONObject = [
                "type": .string(type), "email": "ada@example.org", "url": .string(url),
            ]
            body["fault"] = fault.map { .string($0) }
            return try deployed.ask(.post, "/_idp/apple/notify", .object(body)).body
        }
        let first = try signIn()
        let bearer = try first.text("accessToken")
        let export = try deployed.ask(.get, "/auth/export", bearer: bearer)
        expectEqual(export.status, 200, "\(export.body.text)")
        expectEqual(export.body["account"]?["id"], first.body["user"]?["id"])
        expectEqual(export.headers.value("content-disposition")?.hasPrefix("attachment"), true)

        try expectEqual(notify("consent-revoked", fault: "wrong-signature")["status"], 401)
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 200)
        try expectEqual(notify("email-disabled")["delivered"], true)
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 200)
        try expectEqual(notify("consent-revoked")["delivered"], true)
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 401)

        let again = try signIn()
        expectEqual(again.body["isNewUser"], false)
        try expectEqual(notify("account-deleted")["delivered"], true)
        let ended = try deployed.ask(.get, "/auth/me", bearer: try again.text("accessToken"))
        expectEqual(ended.status, 401)
        let run = try deployed.invoke("HousekeepingFunction", [:])
        expectEqual(run.body["jobs"]?["deletions"]?["failed"], 0, "\(run.body.text)")
        let new = try signIn()
        expectEqual(new.body["isNewUser"], true)
        expectEqual(deployed.denials, [])
    }

    @Test func `livlogios deletes an account with its rows of refresh tokens`() throws {
        let deployed = try DeployedTemplate("livlogios")
        let token = try deployed.mint("apple", Self.email)
        let session = try deployed.ask(.post, "/api/v1/auth/apple", ["identityToken": token])
        let refreshed = try deployed.ask(
            .post, "/api/v1/auth/refresh",
            ["refreshToken": .string(try session.text("refreshToken"))])
        let bearer = try refreshed.text("accessToken")
        try expectEqual(deployed.ask(.delete, "/api/v1/auth/account", bearer: bearer).status, 204)
        try expectEqual(deployed.ask(.get, "/api/v1/auth/me", bearer: bearer).status, 401)
        let refusal = try deployed.ask(
            .post, "/api/v1/auth/refresh",
            ["refreshToken": .string(try refreshed.text("refreshToken"))])
        expectEqual(refusal.status, 401)
        expectEqual(refusal.body["error"]?["code"], "INVALID_REFRESH_TOKEN")
        let again = try deployed.ask(
            .post, "/api/v1/auth/apple",
            ["identityToken": try deployed.mint("apple", Self.email)])
        #expect(again.body["user"]?["id"] != session.body["user"]?["id"])
        let run = try deployed.invoke("HousekeepingFunction", [:])
        expectEqual(run.body["jobs"]?["deletions"]?["failed"], 0, "\(run.body.text)")
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("account_erasure_failed"))
    }
}
