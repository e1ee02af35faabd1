import AuthDomain
import AuthOperations
import AuthTestSupport
import Contracts
import FunctionRuntime
import JSON
import TestSupport
import Testing
import Time

@Suite("Contract latchkey") struct LatchkeyTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(.latchkey) }

    @Test func `the policy is the strict one`() {
        let policy = Contract.latchkey.policy
        expectEqual(policy.accessTokens.lifetime, .minutes(15))
        expectEqual(policy.sessions.rotation, .everyUse(grace: .seconds(60)))
        expectEqual(policy.sessions.reuseScope, .session)
        #expect(policy.accessTokens.algorithm == .es256 && policy.accessTokens.type == "at+jwt")
        expectEqual(policy.identity.nonce, .issued)
        expectEqual(policy.identity.tokenAgeMax, .minutes(10))
        let limited = Set(policy.limits.map(\.name))
        #expect(limited.isSuperset(of: ["signIn.address", "signIn.account", "refresh.address"]))
    }

    @Test func `challenge returns a nonce and its lifetime`() {
        let answer = kit.http("POST", "/auth/challenge", "{}")
        #expect(answer.status == 200 && answer.members == ["nonce", "expiresIn"])
        expectEqual(answer["expiresIn"]?.int64Value, 600)
    }

    @Test func `signin returns the tokens, the user and whether the account is new`() throws {
        let answer = kit.signedIn()
        expectEqual(answer.status, 200)
        expectEqual(
            answer.members,
            [
                "accessToken", "refreshToken", "tokenType", "expiresIn", "expiresAt", "user",
                "isNewUser",
            ])
        #expect(answer["tokenType"] == "Bearer" && answer["isNewUser"] == true)
        expectEqual(answer["expiresIn"]?.int64Value, 900)
        expectEqual(answer["expiresAt"]?.int64Value, kit.clock.now.seconds + 900)
        expectEqual(answer["refreshToken"]?.stringValue?.hasPrefix("lkr_"), true)
        expectEqual(names(answer["user"]), ["id", "email", "emailVerified", "createdAt"])
        expectEqual(answer["user"]?["createdAt"], "2023-11-14T22:13:20.000Z")
        let again = kit.signedIn()
        expectEqual(again["isNewUser"], false)
    }

    @Test func `unknown attributes of a user are omitted`() {
        let answer = kit.signedIn(
            FakeIdentity {
                $0.email = nil
                $0.displayName = "Ada"
            })
        expectEqual(names(answer["user"]), ["id", "emailVerified", "displayName", "createdAt"])
        expectEqual(answer["user"]?["emailVerified"], false)
    }

    @Test func `an e-mail in the body is ignored`() {
        kit.fake.add("one", FakeIdentity { $0.email = nil })
        let body = """
            {"provider":"apple","idToken":"one","email":"victim@example.com","emailVerified":true,
            "user":{"email":"victim@example.com"},"sub":"2","isAdmin":true}
            """
        let answer = kit.http("POST", "/auth/signin", body)
        #expect(answer.status == 200 && answer["user"]?["email"] == nil)
        let me = kit.http("GET", "/auth/me", bearer: answer["accessToken"]?.stringValue)
        expectEqual(me["email"], nil)
    }

    @Test func `refresh returns the same as signin, without isNewUser`() {
        let first = kit.signedIn()
        let token = first["refreshToken"]?.stringValue ?? ""
        let answer = kit.http("POST", "/auth/refresh", "{\"refreshToken\":\"\(token)\"}")
        expectEqual(answer.status, 200)
        expectEqual(answer.members, first.members.filter { $0 != "isNewUser" })
        expectEqual(answer["user"], first["user"])
    }

    @Test func `me returns the whole user`() {
        let bearer = kit.signedIn(FakeIdentity { $0.displayName = "Ada" })["accessToken"]
        let answer = kit.http("GET", "/auth/me", bearer: bearer?.stringValue)
        expectEqual(
            answer.members,
            [
                "id", "email", "emailVerified", "displayName", "authProviders", "createdAt",
                "updatedAt",
            ])
        expectEqual(answer["authProviders"], ["apple"])
    }

    @Test func `sessions are listed and revoked`() {
        let body = """
            {"provider":"apple","idToken":"one","device":{"name":"Ada's iPhone","os":"iOS 19"}}
            """
        kit.fake.add("one")
        let (mine, other) = (kit.http("POST", "/auth/signin", body), kit.signedIn())
        let bearer = mine["accessToken"]?.stringValue
        let list = kit.http("GET", "/auth/sessions", bearer: bearer)
        #expect(list.status == 200 && list.members == ["sessions"])
        let sessions = list["sessions"]?.arrayValue ?? []
        expectEqual(sessions.count, 2)
        let current = sessions.first { $0["current"] == true }
        expectEqual(
            names(current),
            [
                "id", "current", "createdAt", "lastUsedAt", "device", "ipAddress", "userAgent",
            ])
        expectEqual(current?["device"], ["name": "Ada's iPhone", "os": "iOS 19"])
        let id = sessions.first { $0["current"] == false }?["id"]?.stringValue ?? ""
        let ended = kit.http("DELETE", "/auth/sessions/\(id)", bearer: bearer)
        #expect(ended.status == 204 && ended.body == nil)
        let gone = kit.http("GET", "/auth/me", bearer: other["accessToken"]?.stringValue)
        expectEqual(gone.status, 401)
        expectEqual(kit.http("DELETE", "/auth/sessions/\(id)", bearer: bearer).status, 404)
    }

    @Test func `signout returns success`() {
        let mine = kit.signedIn()
        let token = mine["refreshToken"]?.stringValue ?? ""
        for body in ["{\"refreshToken\":\"\(token)\"}", "{\"refreshToken\":\"unknown\"}"] {
            let answer = kit.http("POST", "/auth/signout", body)
            #expect(answer.status == 200 && answer.json == ["success": true])
        }
        expectEqual(kit.http("POST", "/auth/signout").code, "UNAUTHORIZED")
    }

    @Test func `requests that end or grant something refuse unknown members`() {
        let mine = kit.signedIn()
        let bearer = mine["accessToken"]?.stringValue ?? ""
        let requests = [
            ("POST", "/auth/signout"), ("POST", "/auth/credentials"),
            ("POST", "/auth/change-password"), ("POST", "/auth/reset-password"),
            ("POST", "/auth/methods"), ("POST", "/auth/methods/password"),
        ]
        for (method, path) in requests {
            let answer = kit.http(method, path, #"{"everywhere":true}"#, bearer: bearer)
            #expect(answer.status == 400 && answer["error"]?["field"] == "everywhere", "\(path)")
        }
        expectEqual(kit.http("GET", "/auth/me", bearer: bearer).status, 200)
        let endless = String(repeating: "x", count: 100)
        let answer = kit.http("POST", "/auth/signout", "{\"\(endless)\":1}", bearer: bearer)
        expectEqual(answer["error"]?["field"], "…")
        expectEqual(
            kit.http("POST", "/auth/signout", #"{"scope":null,"x":null}"#, bearer: bearer).status,
            200)
    }

    @Test func `credentials returns the keys and the storage location`() {
        let mine = kit.signedIn()
        let bearer = mine["accessToken"]?.stringValue
        let answer = kit.http(
            "POST", "/auth/credentials",
            "{\"access\":\"read\",\"prefix\":\"a\",\"durationSeconds\":900}", bearer: bearer)
        expectEqual(answer.status, 200)
        expectEqual(answer.members, ["credentials", "bucket", "prefix", "region"])
        expectEqual(
            names(answer["credentials"]),
            [
                "accessKeyId", "secretAccessKey", "sessionToken", "expiration",
            ])
        expectEqual(answer["credentials"]?["expiration"], "2023-11-14T22:28:20Z")
        let id = mine["user"]?["id"]?.stringValue ?? ""
        expectEqual(answer["prefix"]?.stringValue, "users/\(id)/a/")
        for body in ["{\"access\":\"admin\"}", "{\"access\":1}", "{\"durationSeconds\":900.5}"] {
            let refused = kit.http("POST", "/auth/credentials", body, bearer: bearer)
            expectEqual(refused.code, "INVALID_REQUEST")
        }
    }

    @Test
    func `keys and discovery may be cached, for less time than keys are published in advance`() {
        for path in ["/.well-known/jwks.json", "/.well-known/openid-configuration"] {
            let answer = kit.http("GET", path)
            expectEqual(answer.status, 200)
            #expect(
                answer.headers.contains { $0.name == "cache-control" && $0.value.contains("3600") })
        }
        #expect(Span.seconds(3600) < SigningKeys.publishedBeforeUse)
    }

    @Test func `direct invocations return the same as HTTP`() {
        let bearer = kit.signedIn()["accessToken"]?.stringValue ?? ""
        let authorization = JSON.string("Bearer \(bearer)")
        let me = kit.direct(["authorization": authorization], to: [.me])
        expectEqual(me.body, kit.http("GET", "/auth/me", bearer: bearer).body)
        let served: [AuthOperation] = [.listSessions, .revokeSession]
        let list = kit.direct(["authorization": authorization], to: served)
        expectEqual(list.members, ["sessions"])
        let id = list["sessions"]?.arrayValue?.first?["id"] ?? .null
        for wrong in [JSON.string("x"), 5, true, [], [:]] {
            let refused = kit.direct(["authorization": authorization, "id": wrong], to: served)
            expectEqual(refused.status, 404, "\(wrong)")
        }
        let document = kit.direct(
            ["document": "openid-configuration"], to: [.keySet, .discovery])
        #expect(document.members.contains("jwks_uri"))
        expectEqual(kit.direct([:], to: [.keySet, .discovery]).members, ["keys"])
        expectEqual(kit.direct(["authorization": authorization, "id": id], to: served).status, 204)
    }

    private func names(_ json: JSON?) -> [String] {
        json?.objectValue?.members.map(\.name) ?? []
    }
}
