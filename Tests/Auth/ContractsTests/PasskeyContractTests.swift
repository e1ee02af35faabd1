import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Contracts
import Cryptography
import FunctionRuntime
import JSON
import TestSupport
import Testing
import Time
import WebAuthn
import WebAuthnTestSupport

@Suite("Passkeys in the contract latchkey") struct PasskeyContractTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey, mail: FakeMailSystem()) }

    private func post(_ path: String, _ body: JSONObject, bearer: String? = nil) -> Answer {
        kit.http(
            "POST", path, String(decoding: body.serialized, as: UTF8.self), bearer: bearer)
    }

    private func begin(_ body: JSONObject, bearer: String? = nil) throws -> (
        JSON, WebAuthn.Challenge
    ) {
        let answer = post("/auth/passkeys/options", body, bearer: bearer)
        #expect(answer.status == 200 && answer.members == ["ceremony", "options"])
        let challenge = answer["options"]?["challenge"]?.stringValue
            .flatMap { Base64URL.decode($0) }.flatMap { WebAuthn.Challenge($0) }
        return (try #require(answer.json), try #require(challenge))
    }

    private func signUp(
        _ passkey: inout SoftwareAuthenticator, email: JSON = .null
    ) throws -> Answer {
        let (begun, challenge) = try begin(["purpose": "signUp", "email": email, "name": "Ada"])
        passkey.userHandle = begun["options"]?["user"]?["id"]?.stringValue
            .flatMap { Base64URL.decode($0) }
        return post(
            "/auth/passkeys/signup",
            [
                "ceremony": begun["ceremony"] ?? .null,
                "credential": try passkey.register(challenge), "name": "Phone",
            ])
    }

    private func signIn(_ passkey: SoftwareAuthenticator) throws -> Answer {
        let (begun, challenge) = try begin(["purpose": "signIn"])
        return post(
            "/auth/passkeys/signin",
            ["ceremony": begun["ceremony"] ?? .null, "credential": try passkey.sign(challenge)])
    }

    private func names(_ json: JSON?) -> [String] {
        json?.objectValue?.members.map(\.name) ?? []
    }

    // MARK: Sign-up and sign-in

    @Test func `a sign-up answers 201 with a session`() throws {
        var passkey = try SoftwareAuthenticator()
        let answer = try signUp(&passkey, email: "ada@example.com")
        expectEqual(answer.status, 201)
        expectEqual(
            answer.members,
            [
                "accessToken", "refreshToken", "tokenType", "expiresIn", "expiresAt", "user",
            ])
        expectEqual(answer["user"]?["email"], "ada@example.com")
        expectEqual(answer["user"]?["emailVerified"], false)
        expectEqual(answer["user"]?["displayName"], "Ada")
    }

    @Test func `a sign-in answers with a session of the same user`() throws {
        var passkey = try SoftwareAuthenticator()
        let user = try signUp(&passkey)["user"]
        let answer = try signIn(passkey)
        #expect(answer.status == 200 && answer["user"] == user)
        #expect(answer.members.contains("refreshToken"))
    }

    @Test func `options are those of WebAuthn`() throws {
        let (creation, _) = try begin(["purpose": "signUp"])
        expectEqual(
            names(creation["options"]),
            [
                "rp", "user", "challenge", "pubKeyCredParams", "excludeCredentials",
                "authenticatorSelection", "attestation", "extensions", "timeout",
            ])
        expectEqual(creation["options"]?["authenticatorSelection"]?["residentKey"], "required")
        let (request, _) = try begin(["purpose": "signIn"])
        expectEqual(
            names(request["options"]),
            [
                "challenge", "rpId", "allowCredentials", "userVerification", "timeout",
            ])
    }

    @Test func `a refused passkey is 401, whatever the reason`() throws {
        var passkey = try SoftwareAuthenticator()
        _ = try signUp(&passkey)
        var forged = passkey
        forged.key = try .es256(seed: 99)
        let answers = [try signIn(forged), try signIn(try SoftwareAuthenticator(seed: 2))]
        #expect(answers[0].status == 401 && answers[0].code == "PASSKEY_REFUSED")
        expectEqual(answers[0].body, answers[1].body)
    }

    // MARK: Errors

    @Test func `a purpose that is missing or unknown is named`() {
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

    @Test func `options to add a passkey need an access token`() {
        let answer = post("/auth/passkeys/options", ["purpose": "add"])
        #expect(answer.status == 401 && answer.code == "UNAUTHORIZED")
    }

    @Test func `a ceremony that is unknown or used is 400`() throws {
        var passkey = try SoftwareAuthenticator()
        _ = try signUp(&passkey)
        let (begun, challenge) = try begin(["purpose": "signIn"])
        let credential = try passkey.sign(challenge)
        let body: JSONObject = [
            "ceremony": begun["ceremony"] ?? .null, "credential": credential,
        ]
        expectEqual(post("/auth/passkeys/signin", body).status, 200)
        for body in [body, ["ceremony": "unknown", "credential": credential]] {
            let answer = post("/auth/passkeys/signin", body)
            #expect(answer.status == 400 && answer.code == "INVALID_CEREMONY")
            expectEqual(answer["error"]?["field"], "ceremony")
        }
        let missing = post("/auth/passkeys/signin", ["credential": credential])
        expectEqual(missing["error"]?["field"], "ceremony")
    }

    @Test func `a malformed credential is refused with the member that is wrong`() throws {
        let passkey = try SoftwareAuthenticator()
        let challenge = WebAuthn.Challenge.generate(random: .seeded(1))
        let good = try #require(try passkey.sign(challenge).objectValue)
        var (otherID, noType, noResponse) = (good, good, good)
        otherID["rawId"] = "AAAA"
        noType["type"] = "password"
        noResponse["response"] = .null
        for (credential, member): (JSON, String) in [
            (.object(otherID), "rawId"), (.object(noType), "type"),
            (.object(noResponse), "response"), ("text", "response"),
        ] {
            let answer = post(
                "/auth/passkeys/signin", ["ceremony": "x", "credential": credential])
            #expect(answer.status == 400 && answer["error"]?["field"] == "credential")
            let message = answer["error"]?["message"]?.stringValue ?? ""
            #expect(message.contains("whose \(member) is not valid"), "\(message)")
        }
    }

    // MARK: The list

    @Test func `passkeys are listed, renamed, added and removed`() throws {
        var (phone, desk) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let bearer = try signUp(&phone, email: "ada@example.com")["accessToken"]?.stringValue
        let (begun, challenge) = try begin(["purpose": "add"], bearer: bearer)
        expectEqual(begun["options"]?["excludeCredentials"]?.arrayValue?.count, 1)
        kit.clock.advance(by: .seconds(1))
        let added = post(
            "/auth/passkeys",
            ["ceremony": begun["ceremony"] ?? .null, "credential": try desk.register(challenge)],
            bearer: bearer)
        #expect(added.status == 201 && added.members == ["passkeys", "signals"])
        let list = kit.http("GET", "/auth/passkeys", bearer: bearer)
        #expect(list.status == 200 && list.json == added.json)
        let entries = list["passkeys"]?.arrayValue ?? []
        expectEqual(
            names(entries.first),
            [
                "id", "credentialId", "name", "synced", "backedUp", "current", "createdAt",
                "lastUsedAt",
            ])
        expectEqual(entries.map { $0["current"] }, [true, false])
        expectEqual(entries.map { $0["name"] }, ["Phone", nil])
        let signals = list["signals"]
        expectEqual(
            names(signals),
            [
                "rpId", "userId", "name", "displayName", "allAcceptedCredentialIds",
            ])
        #expect(signals?["name"] == "ada@example.com" && signals?["displayName"] == "Ada")
        expectEqual(signals?["userId"]?.stringValue, phone.userHandle.map { Base64URL.encode($0) })
        expectEqual(
            signals?["allAcceptedCredentialIds"]?.arrayValue,
            entries.compactMap {
                $0["credentialId"]
            })

        let id = entries.last?["id"]?.stringValue ?? ""
        let renamed = kit.http("PATCH", "/auth/passkeys/\(id)", #"{"name":"Desk"}"#, bearer: bearer)
        expectEqual(renamed.status, 200)
        expectEqual(renamed["passkeys"]?.arrayValue?.map { $0["name"] }, ["Phone", "Desk"])
        expectEqual(kit.http("PATCH", "/auth/passkeys/\(id)", "{}", bearer: bearer).status, 400)
        expectEqual(kit.http("DELETE", "/auth/passkeys/\(id)", bearer: bearer), .noContent)
        let gone = kit.http("DELETE", "/auth/passkeys/\(id)", bearer: bearer)
        #expect(gone.status == 404 && gone.code == "PASSKEY_NOT_FOUND")
        let last = entries.first?["id"]?.stringValue ?? ""
        let kept = kit.http("DELETE", "/auth/passkeys/\(last)", bearer: bearer)
        #expect(kept.status == 409 && kept.code == "LAST_METHOD")
        desk.userHandle = phone.userHandle
        try expectEqual(signIn(desk).code, "PASSKEY_REFUSED")
    }

    @Test func `an account without passkeys has an empty list, and no user id to signal`() {
        let bearer = kit.signedIn()["accessToken"]?.stringValue
        let list = kit.http("GET", "/auth/passkeys", bearer: bearer)
        expectEqual(list.json, ["passkeys": [], "signals": ["rpId": "example.org"]])
        expectEqual(kit.http("GET", "/auth/passkeys").status, 401)
    }

    // MARK: The second factor

    @Test func `a ticket lists passkeys where the account has one`() throws {
        let bearer = kit.signedIn()["accessToken"]?.stringValue
        let secret = kit.http("POST", "/auth/totp", bearer: bearer)["secret"]?.stringValue ?? ""
        let app = OneTimePassword(secret: SecretBytes(try #require(Base32.decode(secret))))
        let code = app.code(step: OneTimePassword.step(at: kit.clock.now))
        let confirmed = post("/auth/totp/confirm", ["code": .string(code)], bearer: bearer)
        expectEqual(kit.signedIn()["methods"], ["totp", "recoveryCode"])

        let own = confirmed["accessToken"]?.stringValue
        var passkey = try SoftwareAuthenticator()
        let (adding, first) = try begin(["purpose": "add"], bearer: own)
        let added = post(
            "/auth/passkeys",
            ["ceremony": adding["ceremony"] ?? .null, "credential": try passkey.register(first)],
            bearer: own)
        expectEqual(added.status, 201)
        passkey.userHandle = adding["options"]?["user"]?["id"]?.stringValue
            .flatMap { Base64URL.decode($0) }
        let ticket = kit.signedIn()
        expectEqual(ticket.status, 202)
        expectEqual(ticket["methods"], ["totp", "recoveryCode", "passkey"])
        let name = ticket["ticket"] ?? .null
        let (begun, challenge) = try begin(["purpose": "secondFactor", "ticket": name])
        let body: JSONObject = [
            "ticket": name, "ceremony": begun["ceremony"] ?? .null,
            "credential": try passkey.sign(challenge),
        ]
        let answer = post("/auth/second-factor", body)
        #expect(answer.status == 200 && answer.members.contains("refreshToken"))
        // Without user verification a passkey is one factor, and needs another kind.
        passkey.flags.remove(.userVerified)
        let asked = try signIn(passkey)
        #expect(asked.status == 202 && asked["methods"] == ["totp", "recoveryCode"])
    }

    // MARK: Documents

    static let documents = [
        "/.well-known/webauthn", "/.well-known/apple-app-site-association",
        "/.well-known/assetlinks.json",
    ]

    @Test(arguments: documents) func `a document without content is not found`(path: String) {
        expectEqual(kit.http("GET", path).status, 404)
    }

    @Test(arguments: documents) func `a document is JSON and can be kept for an hour`(
        path: String
    ) throws {
        let fingerprint = try #require(
            CertificateFingerprint(
                parsing: Array(repeating: "AB", count: 32).joined(separator: ":"))
        )
        let kit = try ContractKit(
            .latchkey,
            passkeys: try .testing(
                origins: "https://example.org https://app.example.org https://example.com",
                androidApps: [
                    try #require(
                        AndroidApp(packageName: "org.example", fingerprints: [fingerprint]))
                ], appleApps: [try #require(AppleApp(parsing: "ABCDE12345.org.example"))]))
        let answer = kit.http("GET", path)
        #expect(answer.status == 200 && answer.body?.type == "application/json")
        #expect(answer.headers.contains { $0 == ("cache-control", "public, max-age=3600") })
        switch path {
        case "/.well-known/webauthn": expectEqual(answer.json, ["origins": ["https://example.com"]])
        case "/.well-known/assetlinks.json":
            let target = answer.json?.arrayValue?.first?["target"]
            expectEqual(target?["package_name"], "org.example")
        default:
            expectEqual(answer.json, ["webcredentials": ["apps": ["ABCDE12345.org.example"]]])
        }
    }

    @Test func `direct invocations choose what passkeys do by the action`() throws {
        var passkey = try SoftwareAuthenticator()
        let bearer = try signUp(&passkey)["accessToken"]?.stringValue ?? ""
        let authorization = JSON.string("Bearer \(bearer)")
        let served: [AuthOperation] = [
            .listPasskeys, .addPasskey, .renamePasskey, .removePasskey,
        ]
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
