import FunctionRuntime
import WebAuthnTestSupport

@Suite("Passkeys in the contract latchkey") struct PasskeyContractTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey, mail: FakeMailSystem()) }

    private func post(_ path: String, _ body: JSONObject, bearer: String? = nil) -> Answer {
        kit.http("POST", path, String(decoding: body.serialized, as: UTF8.self), bearer: bearer)
    }

    private func begin(_ body: JSONObject) throws -> (JSON, WebAuthn.Challenge) {
        let answer = post("/auth/passkeys/options", body)
        let challenge = answer["options"]?["challenge"]?.stringValue
            .flatMap { Base64URL.decode($0) }.flatMap { WebAuthn.Challenge($0) }
        return (try #require(answer.json), try #require(challenge))
    }

    private func signUp(_ passkey: inout SoftwareAuthenticator) throws -> Answer {
        let (begun, challenge) = try begin(["purpose": "signUp"])
        passkey.userHandle = begun["options"]?["user"]?["id"]?.stringValue
            .flatMap { Base64URL.decode($0) }
        return post(
            "/auth/passkeys/signup",
            ["ceremony": begun["ceremony"] ?? .null, "credential": try passkey.register(challenge)])
    }

    @Test func `a missing or unknown purpose is reported`() {
        for (body, field): (JSONObject, String) in [
            ([:], "purpose"), (["purpose": "login"], "purpose"),
            (["purpose": "signUp", "email": "no address"], "email"),
            (["purpose": "secondFactor"], "ticket"),
            (["purpose": "add", "conditional": "yes"], "conditional"),
        ] {
            // An access token is asked for first.
            let bearer = kit.signedIn()["accessToken"]?.stringValue
            let answer = post("/auth/passkeys/options", body, bearer: bearer)
            #expect(answer.status == 400 && answer["error"]?["field"]?.stringValue == field)
        }
    }

    @Test func `a direct invocation selects the passkey operation by its action`() throws {
        var passkey = try SoftwareAuthenticator()
        let bearer = try signUp(&passkey)["accessToken"]?.stringValue ?? ""
        let authorization = JSON.string("Bearer \(bearer)")
        let served: [AuthOperation] = [.listPasskeys, .addPasskey, .renamePasskey, .removePasskey]
        let list = kit.direct(["authorization": authorization], to: served)
        #expect(list.status == 200 && list["passkeys"]?.arrayValue?.count == 1)
        let id = list["passkeys"]?.arrayValue?.first?["id"] ?? .null
        let renamed = kit.direct(
            ["authorization": authorization, "action": "rename", "id": id, "name": "Phone"],
            to: served)
        expectEqual(renamed["passkeys"]?.arrayValue?.first?["name"], "Phone")
        let kept = kit.direct(
            ["authorization": authorization, "action": "remove", "id": id], to: served)
        expectEqual(kept.status, 409)
    }
}
