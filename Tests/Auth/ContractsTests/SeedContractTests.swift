import AuthDomain
import AuthOperations
import AuthTestSupport
import Contracts
import FunctionRuntime
import JSON
import TestSupport
import Testing
import Time

@Suite("Contract whateat") struct WhatEatTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.whateat) }

    private func signedIn(_ identity: FakeIdentity = FakeIdentity()) -> Answer {
        kit.signedIn(path: "/api/v1/auth/signin", identity)
    }

    @Test func `the routes, lifetimes and formats match the original service`() {
        let routes = Contract.whateat.endpoints.compactMap(\.route)
            .map { "\($0.method) \($0.path)" }
        expectEqual(
            routes,
            [
                "POST /api/v1/auth/signin", "POST /api/v1/auth/refresh",
                "POST /api/v1/auth/signout",
            ])
        let policy = Contract.whateat.policy
        expectEqual(policy.accessTokens.lifetime, .hours(1))
        expectEqual(policy.sessions.idleLifetime, .days(30))
        #expect(policy.accessTokens.algorithm == .hs256 && policy.accessTokens.type == "JWT")
        #expect(!policy.accessTokens.includesKeyID)
        expectEqual(policy.sessions.refreshTokens, .selfContained(prefix: "v1."))
    }

    @Test func `signin and refresh return the original fields, in order`() {
        let first = signedIn()
        let token = first["refreshToken"]?.stringValue ?? ""
        let second = kit.http(
            "POST", "/api/v1/auth/refresh", "{\"refreshToken\":\"\(token)\"}")
        for answer in [first, second] {
            expectEqual(answer.status, 200)
            expectEqual(
                answer.members,
                [
                    "accessToken", "refreshToken", "expiresIn", "expiresAt", "user",
                ])
            expectEqual(answer["expiresIn"]?.int64Value, 3600)
            expectEqual(
                answer["user"]?.objectValue?.members.map(\.name), ["id", "email", "createdAt"])
            expectEqual(answer["refreshToken"]?.stringValue?.hasPrefix("v1."), true)
        }
        #expect(second["refreshToken"] != first["refreshToken"])
        expectEqual(first["user"]?["createdAt"], "2023-11-14T22:13:20.000Z")
    }

    @Test func `a user of whateat who comes back within thirty days stays signed in`() {
        var token = signedIn()["refreshToken"]?.stringValue ?? ""
        for _ in 0..<40 {
            kit.clock.advance(by: .days(29))
            let answer = kit.http(
                "POST", "/api/v1/auth/refresh", "{\"refreshToken\":\"\(token)\"}")
            expectEqual(answer.status, 200)
            token = answer["refreshToken"]?.stringValue ?? ""
        }
        kit.clock.advance(by: .days(30))
        let late = kit.http("POST", "/api/v1/auth/refresh", "{\"refreshToken\":\"\(token)\"}")
        #expect(late.status == 401 && late.code == "INVALID_REFRESH_TOKEN")
    }

    @Test func `a hidden e-mail is null and not absent`() {
        expectEqual(signedIn(FakeIdentity { $0.email = nil })["user"]?["email"], .null)
    }

    @Test func `signout only needs the bearer token`() {
        let bearer = signedIn()["accessToken"]?.stringValue
        for body in ["", "{}"] {
            let missing = kit.http("POST", "/api/v1/auth/signout", body)
            #expect(missing.status == 401 && missing.code == "UNAUTHORIZED")
        }
        let done = kit.http("POST", "/api/v1/auth/signout", "{}", bearer: bearer)
        #expect(done.status == 200 && done.json == ["success": true])
        let refresh = signedIn()
        kit.clock.advance(by: .hours(1))
        let expired = kit.http(
            "POST", "/api/v1/auth/signout", "", bearer: refresh["accessToken"]?.stringValue)
        #expect(expired.status == 401 && expired.code == "TOKEN_EXPIRED")
    }

    @Test func `after signout no token of the session works`() {
        let mine = signedIn()
        _ = kit.http(
            "POST", "/api/v1/auth/signout", "", bearer: mine["accessToken"]?.stringValue)
        let token = mine["refreshToken"]?.stringValue ?? ""
        let answer = kit.http(
            "POST", "/api/v1/auth/refresh", "{\"refreshToken\":\"\(token)\"}")
        #expect(answer.status == 401 && answer.code == "INVALID_REFRESH_TOKEN")
    }

    static let bad: [(String, String, Int, String)] = [
        ("signin", "{}", 400, "INVALID_PROVIDER"),
        ("signin", "{\"provider\":\"github\",\"idToken\":\"x\"}", 400, "INVALID_PROVIDER"),
        ("signin", "{\"provider\":5,\"idToken\":\"x\"}", 400, "INVALID_PROVIDER"),
        ("signin", "{\"provider\":\"apple\"}", 400, "MISSING_TOKEN"),
        ("signin", "{\"provider\":\"apple\",\"idToken\":\"\"}", 400, "MISSING_TOKEN"),
        ("signin", "{\"provider\":\"apple\",\"idToken\":null}", 400, "MISSING_TOKEN"),
        ("signin", "{\"provider\":\"apple\",\"idToken\":\"junk\"}", 401, "AUTH_FAILED"),
        ("refresh", "{}", 400, "MISSING_REFRESH_TOKEN"),
        ("refresh", "", 400, "MISSING_REFRESH_TOKEN"),
        ("refresh", "{\"refreshToken\":\"junk\"}", 401, "INVALID_REFRESH_TOKEN"),
        ("refresh", "[]", 400, "INVALID_REQUEST"), ("signin", "{", 400, "INVALID_REQUEST"),
    ]

    @Test(arguments: bad) func `errors are flat, with the original codes`(
        endpoint: String, body: String, status: Int, code: String
    ) {
        let answer = kit.http("POST", "/api/v1/auth/\(endpoint)", body)
        #expect(answer.status == status && answer.members == ["error", "code"])
        expectEqual(answer["code"]?.stringValue, code)
    }
}

@Suite("Contract photolala") struct PhotolalaTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.photolala) }

    private func signIn(_ identity: FakeIdentity, nonce: String? = nil) -> Answer {
        kit.fake.add("one", identity)
        var payload: JSONObject = [
            "provider": .string(identity.provider), "idToken": "one",
        ]
        payload["nonce"] = nonce.map { .string($0) }
        return kit.direct(payload, to: [.signIn])
    }

    @Test func `a direct invocation returns the user and storage credentials`() {
        let answer = signIn(
            FakeIdentity {
                $0.provider = "google"
                $0.displayName = "Ada"
                $0.nonce = "n"
            }, nonce: "n")
        #expect(answer.status == 200 && answer.members == ["user", "credentials"])
        expectEqual(
            answer["user"]?.objectValue?.members.map(\.name),
            [
                "id", "googleUserID", "email", "displayName", "createdAt", "updatedAt",
            ])
        expectEqual(
            answer["credentials"]?.objectValue?.members.map(\.name),
            [
                "accessKeyId", "secretAccessKey", "sessionToken", "expiration",
            ])
    }

    @Test func `an Apple user without a name gets a default one`() {
        let answer = signIn(FakeIdentity { $0.email = nil })
        expectEqual(answer["user"]?["appleUserID"], "001")
        #expect(answer["user"]?["googleUserID"] == nil && answer["user"]?["email"] == nil)
        expectEqual(answer["user"]?["displayName"], "Apple User")
    }

    @Test func `there is no session and no other operation`() throws {
        _ = signIn(FakeIdentity())
        expectEqual(
            Contract.photolala.endpoints.map(\.operation),
            [.signIn, .linkByTokens, .verifyAudit, .exportUser])
        #expect(
            kit.send(Request(form: .direct, payload: [:], requestID: "1"), to: [.refresh]) == nil)
    }

    static let bad: [(JSONObject, String)] = [
        ([:], "invalidProvider"), (["provider": "facebook", "idToken": "one"], "invalidProvider"),
        (["provider": 5, "idToken": "one"], "invalidProvider"),
        (["provider": "google"], "invalidIDToken"),
        (["provider": "google", "idToken": ""], "invalidIDToken"),
        (["provider": "google", "idToken": 5], "invalidIDToken"),
        (["provider": "google", "idToken": "junk"], "invalidIDToken"),
        (["provider": "google", "idToken": "one", "nonce": 5], "invalidRequest"),
        (["provider": "google", "idToken": "one", "nonce": "other"], "nonceMismatch"),
    ]

    @Test func `an invalid payload is reported with its code`() {
        kit.fake.add(
            "one",
            FakeIdentity {
                $0.provider = "google"
                $0.nonce = "n"
            })
        for (payload, code) in Self.bad {
            let answer = kit.direct(payload, to: [.signIn])
            #expect((400..<500).contains(answer.status) && answer.code == code, "\(payload)")
        }
    }

    /// The app checks the nonce itself and does not send it.
    @Test func `a token with a nonce is accepted when the payload has none`() {
        let identity = FakeIdentity {
            $0.provider = "google"
            $0.nonce = "n"
        }
        expectEqual(signIn(identity).status, 200)
    }

    @Test func `without storage sign-in fails and no token is consumed`() throws {
        let bare = try ContractKit(.photolala, hasStorage: false)
        bare.fake.add("one")
        let answer = bare.direct(["provider": "apple", "idToken": "one"], to: [.signIn])
        #expect(answer.status == 500 && answer.code == "internalError")
        let output = try bare.auth.signIn(
            SignIn.Input(provider: "apple", idToken: "one"), Caller())
        #expect(output.isNewUser)
    }
}
