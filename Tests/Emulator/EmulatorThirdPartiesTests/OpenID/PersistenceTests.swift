import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import Foundation
import JOSE

@Suite struct PersistenceTests {
    @Test func `keys, accounts, clients, consents and tokens survive a restart`() throws {
        let scratch = try TemporaryDatabase()
        let environment = IdentityServiceHarness.HarnessEnvironment(keys: nil)
        let (idToken, code, refresh, kids): (String, String, String, [String?])
        do {
            let harness = try IdentityServiceHarness(
                directory: scratch.path, environment: environment)
            idToken = try harness.mint("apple")
            _ = try harness.put("/_idp/apple/faults", json: ["name": "rotated-old-kept"])
            kids = try harness.keys("apple").keys.map(\.kid)
            _ = try harness.post("/_idp/apple/accounts", json: ["email": "bob@example.com"])
            _ = try harness.put("/_idp/acme/clients/other", json: ["secret": "s"])
            let tokens = try harness.redeem(.acme, try harness.code(.acme)).json
            refresh = try #require(tokens["refresh_token"]?.stringValue)
            #expect(try harness.approve(.apple)["user"] != nil)
            code = try harness.code(.apple)
            _ = try harness.put("/_idp/apple/faults", json: ["name": "jwks-500"])
        }
        let harness = try IdentityServiceHarness(directory: scratch.path, environment: environment)
        try expectEqual(harness.keys("apple").keys.map(\.kid), kids)
        #expect(
            try harness.verify(idToken, "apple", IdentityServiceHarness.appleClient).subject != nil)
        let accounts = try harness.get("/_idp/apple/accounts").json["accounts"]?.arrayValue
        expectEqual(accounts?.last?["email"], "bob@example.com")
        try expectEqual(harness.get("/_idp/acme/clients/other").json["secret"], "s")
        try expectEqual(harness.refresh(.acme, refresh).status, 200)
        try expectEqual(harness.redeem(.apple, code).status, 200)
        try expectEqual(
            harness.redeem(.apple, code).errorDescription, "The code has already been used.")
        try expectEqual(harness.approve(.apple)["user"], nil)
        // Faults end with the process.
        try expectEqual(harness.get("/_idp/apple/auth/keys").status, 200)
    }

    @Test func `the file is only accessible to its owner`() throws {
        let scratch = try TemporaryDatabase()
        let harness = try IdentityServiceHarness(directory: scratch.path)
        _ = try harness.mint("acme")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: scratch.path + "/identity.sqlite")
        expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    }

    @Test func `expired records are deleted`() throws {
        let scratch = try TemporaryDatabase()
        let harness = try IdentityServiceHarness(directory: scratch.path)
        let first = try #require(try harness.page(.acme).text.transaction)
        harness.environment.advance(.hours(2))
        for _ in 0..<300 { _ = try harness.page(.acme) }
        let answer = try harness.post(
            "/_idp/acme/decision",
            form: [("transaction", first), ("decision", "approve"), ("account", "ada@example.com")])
        expectEqual(answer.status, 400)
    }
}
