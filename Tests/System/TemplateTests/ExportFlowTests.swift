import BaseTestSupport
import Contracts

/// Exports for an operator, by direct invocation through the deployed template.
@Suite("Export flows", .serialized, .hangLimit, .onEveryStore)
struct ExportFlowTests {
    private static let unknown = "9c5b94b1-35ad-49bb-b118-8e8fc24abf80"

    @Test(arguments: Template.documented)
    func `every contract answers an operator, within the policy of the function`(
        contract: String
    ) throws {
        let deployed = try DeployedTemplate(contract)
        for user in ["nobody@example.com", Self.unknown, "1"] {
            let answer = try deployed.invoke("ExportFunction", ["user": .string(user)])
            #expect(answer.body.text.contains("No such user"), "\(answer.body.text)")
        }
        expectEqual(deployed.denials, [])
    }

    @Test func `an account of shell is exported by its address`() throws {
        let deployed = try DeployedTemplate("shell")
        let registered = try deployed.ask(
            .post, "/auth/register",
            [
                "email": "user@example.com", "password": "Secret-1234",
                "confirmPassword": "Secret-1234",
            ])
        let export = try deployed.invoke("ExportFunction", ["user": "user@example.com"])
        expectEqual(export.body["account"]?["id"], registered.body["userID"])
        expectEqual(export.body["hasPassword"], true)
        expectEqual(export.body["events"]?.arrayValue?.count, 1, "\(export.body.text)")
        #expect(!export.body.text.contains("argon2"))
        expectEqual(deployed.denials, [])
    }

    /// Its user IDs are integers.
    @Test func `an account of news_app is exported by its id`() throws {
        let deployed = try DeployedTemplate("news_app")
        let token = try deployed.mint("apple", ["sub": "001", "email": "user@example.com"])
        let signedIn = try deployed.ask(.post, "/auth/apple", ["id_token": token])
        expectEqual(signedIn.status, 200, "\(signedIn.body.text)")
        let export = try deployed.invoke("ExportFunction", ["user": "1"])
        expectEqual(export.body["account"]?["publicId"], 1, "\(export.body.text)")
        expectEqual(export.body["sessions"]?.arrayValue?.count, 1)
        expectEqual(deployed.denials, [])
    }
}
