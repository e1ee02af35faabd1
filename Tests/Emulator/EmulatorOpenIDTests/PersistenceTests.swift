import EmulatorHTTP
import EmulatorOpenID
import EmulatorServer
import Foundation
import JOSE
import JSON
import Testing
import Time

@Suite struct PersistenceTests {
    @Test func `keys, accounts, clients, consents and tokens survive a restart`() throws {
        let scratch = try TemporaryDatabase()
        let world = IdentityServiceHarness.HarnessClock()
        let (idToken, code, refresh, kids): (String, String, String, [String?])
        do {
            let stage = try IdentityServiceHarness(directory: scratch.path, world: world)
            idToken = try stage.mint("apple")
            _ = try stage.put("/_idp/apple/faults", json: ["name": "rotated-old-kept"])
            kids = try stage.keys("apple").keys.map(\.kid)
            _ = try stage.post("/_idp/apple/accounts", json: ["email": "bob@example.com"])
            _ = try stage.put("/_idp/acme/clients/other", json: ["secret": "s"])
            let tokens = try stage.redeem(.acme, try stage.code(.acme)).json
            refresh = try #require(tokens["refresh_token"]?.stringValue)
            #expect(try stage.approve(.apple)["user"] != nil)
            code = try stage.code(.apple)
            _ = try stage.put("/_idp/apple/faults", json: ["name": "jwks-500"])
        }
        let stage = try IdentityServiceHarness(directory: scratch.path, world: world)
        #expect(try stage.keys("apple").keys.map(\.kid) == kids)
        #expect(
            try stage.verify(idToken, "apple", IdentityServiceHarness.appleClient).subject != nil)
        let accounts = try stage.get("/_idp/apple/accounts").json["accounts"]?.arrayValue
        #expect(accounts?.last?["email"] == "bob@example.com")
        #expect(try stage.get("/_idp/acme/clients/other").json["secret"] == "s")
        #expect(try stage.refresh(.acme, refresh).status == 200)
        #expect(try stage.redeem(.apple, code).status == 200)
        #expect(
            try stage.redeem(.apple, code).errorDescription == "The code has already been used.")
        #expect(try stage.approve(.apple)["user"] == nil)
        // Faults end with the process.
        #expect(try stage.get("/_idp/apple/auth/keys").status == 200)
    }

    @Test func `the file is only accessible to its owner`() throws {
        let scratch = try TemporaryDatabase()
        let stage = try IdentityServiceHarness(directory: scratch.path)
        _ = try stage.mint("acme")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: scratch.path + "/identity.sqlite")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `expired records are deleted`() throws {
        let scratch = try TemporaryDatabase()
        let stage = try IdentityServiceHarness(directory: scratch.path)
        let first = try #require(try stage.page(.acme).text.transaction)
        stage.world.advance(.hours(2))
        for _ in 0..<300 { _ = try stage.page(.acme) }
        let answer = try stage.post(
            "/_idp/acme/decision",
            form: [("transaction", first), ("decision", "approve"), ("account", "ada@example.com")])
        #expect(answer.status == 400)
    }
}
