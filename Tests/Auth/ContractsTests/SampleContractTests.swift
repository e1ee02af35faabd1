import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Contracts
import Cryptography
import FunctionRuntime
import HTTP
import JSON
import TestSupport
import Testing
import Time

/// Contracts with other formats need only their own definition, without changes elsewhere.
@Suite("A contract of another shape") struct SampleContractTests {
    let kit: ContractKit

    init() throws { kit = try ContractKit(SampleContract.contract) }

    private func signIn(_ subject: String = "001", email: String? = "ada@example.com") -> Answer {
        let token = Hex.encode(kit.random.bytes(8))
        kit.fake.add(
            token,
            FakeIdentity {
                $0.subject = subject
                $0.email = email
            })
        return kit.http("POST", "/auth/apple", "{\"id_token\":\"\(token)\"}")
    }

    private func refresh(_ token: JSON?) -> Answer {
        kit.http("POST", "/auth/refresh", "{\"refresh_token\":\"\(token?.stringValue ?? "")\"}")
    }

    @Test func `users have integer ids outside and UUIDs inside`() throws {
        #expect(signIn("a")["id"] == 1 && signIn("b", email: nil)["id"] == 2)
        let again = signIn("a")
        expectEqual(again["id"], 1)
        let parts = try #require(again["access_token"]?.stringValue).split(separator: ".")
        let header = try #require(Base64URL.decode(parts[0]))
        expectEqual(String(decoding: header, as: UTF8.self), #"{"alg":"HS256","typ":"JWT"}"#)
        let claims = try JSON.parse(try #require(Base64URL.decode(parts[1])), limits: .request)
        expectEqual(
            claims.objectValue?.members.map(\.name),
            ["user_id", "email", "iat", "exp", "session", "epoch"])
        expectEqual(claims["user_id"], 1)
    }

    @Test func `content routes receive the user, the path and the query`() {
        let bearer = signIn()["access_token"]?.stringValue
        let request = Request(
            method: "POST", path: "/api/content/42/favorite", query: [("sort", "new")],
            headers: [HTTPHeader("authorization", "Bearer \(bearer ?? "")")], requestID: "1")
        let answer = kit.send(request)?.answer
        expectEqual(answer?.json, ["content": "42", "user": 1, "sort": "new"])
        expectEqual(kit.http("POST", "/api/content/42/favorite").status, 401)
    }

    @Test func `an open route knows the user, if there is one`() {
        let bearer = signIn()["access_token"]?.stringValue
        expectEqual(kit.http("GET", "/api/content/42", bearer: bearer).json, ["user": 1])
        expectEqual(kit.http("GET", "/api/content/42").json, ["user": .null])
        expectEqual(kit.http("GET", "/api/content/42", bearer: "junk").status, 401)
    }

    @Test func `refresh tokens are UUIDs, without a grace period`() throws {
        let first = signIn()
        let token = try #require(first["refresh_token"]?.stringValue)
        #expect(UUIDText(parsing: token) != nil)
        let second = refresh(first["refresh_token"])
        #expect(second.status == 200 && second["refresh_token"] != first["refresh_token"])
        let other = signIn()
        // Reuse ends all sessions of the user.
        expectEqual(refresh(first["refresh_token"]).status, 401)
        expectEqual(refresh(second["refresh_token"]).status, 401)
        expectEqual(refresh(other["refresh_token"]).status, 401)
    }

    @Test func `sign-out requires the access token`() {
        let mine = signIn()
        let body = "{\"refresh_token\":\"\(mine["refresh_token"]?.stringValue ?? "")\"}"
        expectEqual(kit.http("POST", "/auth/logout", body).status, 401)
        expectEqual(refresh(mine["refresh_token"]).status, 200)
        let again = signIn()
        let other = "{\"refresh_token\":\"\(again["refresh_token"]?.stringValue ?? "")\"}"
        let bearer = again["access_token"]?.stringValue
        expectEqual(kit.http("POST", "/auth/logout", other, bearer: bearer), .noContent)
        expectEqual(refresh(again["refresh_token"]).status, 401)
    }

    @Test func `a soft-deleted account does not exist, and its identity and address are released`()
    {
        let mine = signIn()
        let bearer = mine["access_token"]?.stringValue
        expectEqual(kit.http("DELETE", "/auth/account", bearer: bearer).status, 204)
        expectEqual(kit.http("DELETE", "/auth/account", bearer: bearer).status, 401)
        expectEqual(refresh(mine["refresh_token"]).status, 401)
        expectEqual(signIn()["id"], 2)
    }

    @Test func `a page redirects to its login and back, with a cookie`() {
        let refused = kit.http("GET", "/admin")
        expectEqual(refused, .redirect(to: "/admin/login?next=/admin"))
        expectEqual(refused.status, 303)
        let own = [HTTPHeader("origin", "https://app.example"), HTTPHeader("host", "app.example")]
        let form = "application/x-www-form-urlencoded"
        let entered = kit.http(
            "POST", "/admin/login", "password=open+sesame", type: form, headers: own)
        expectEqual(entered.status, 303)
        expectEqual(
            entered.reply.cookies,
            ["admin_session=proof; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=3600"])
        let page = kit.http("GET", "/admin", cookies: [("admin_session", "proof")])
        expectEqual(page.body, .text("hello admin", type: "text/plain; charset=utf-8"))
        let login = kit.http("GET", "/admin/login")
        expectEqual(login.body?.type, "text/html; charset=utf-8")
        #expect(login.headers.contains { $0.name == "content-security-policy" })
    }

    static let foreign: [([HTTPHeader], Int)] = [
        ([], 403), ([HTTPHeader("origin", "null")], 403),
        ([HTTPHeader("origin", "https://evil.example"), HTTPHeader("host", "app.example")], 403),
        (
            [HTTPHeader("origin", "https://app.example.evil"), HTTPHeader("host", "app.example")],
            403
        ),
        ([HTTPHeader("origin", "https://app.example")], 403),
        ([HTTPHeader("sec-fetch-site", "cross-site"), HTTPHeader("host", "app.example")], 403),
        ([HTTPHeader("sec-fetch-site", "same-site")], 403),
        ([HTTPHeader("sec-fetch-site", "same-origin")], 303),
        (
            [HTTPHeader("origin", "http://APP.example:81"), HTTPHeader("host", "app.example:81")],
            303
        ),
    ]

    @Test(arguments: foreign) func `a cross-site form is refused`(
        headers: [HTTPHeader], status: Int
    ) {
        let answer = kit.http(
            "POST", "/admin/login", "password=open%20sesame",
            type: "application/x-www-form-urlencoded", headers: headers)
        expectEqual(answer.status, status)
    }

    static let forms: [(String, Int)] = [
        ("password=open+sesame&x", 303), ("password=open+sesame&password=open+sesame", 400),
        ("password=%", 400), ("password=%ff", 400), ("=x&password=y", 401), ("x=1", 400),
        (Array(repeating: "a=1", count: 100).joined(separator: "&"), 400),
        ("password=" + String(repeating: "a", count: 2000), 413),
    ]

    @Test(arguments: forms) func `a form has each field once, decoded`(form: String, status: Int) {
        let answer = kit.http(
            "POST", "/admin/login", form, type: "application/x-www-form-urlencoded",
            headers: [HTTPHeader("sec-fetch-site", "same-origin")])
        expectEqual(answer.status, status)
    }

    @Test func `a form is only accepted if the endpoint allows it`() {
        let answer = kit.http(
            "POST", "/auth/refresh", "refresh_token=x", type: "application/x-www-form-urlencoded",
            headers: [HTTPHeader("sec-fetch-site", "same-origin")])
        expectEqual(answer.status, 415)
        expectEqual(kit.http("POST", "/admin/login", "{\"password\":\"open sesame\"}").status, 303)
    }

    @Test func `plain HTTP is refused before anything else`() {
        let plain = [HTTPHeader("x-forwarded-proto", "http")]
        let refused = Answer.text(400, "HTTPS required")
        expectEqual(kit.http("GET", "/nowhere", headers: plain), refused)
        expectEqual(
            kit.http("GET", "/nowhere", headers: [HTTPHeader("x-forwarded-proto", "https, http")]),
            refused)
        expectEqual(
            kit.http("GET", "/nowhere", headers: [HTTPHeader("x-forwarded-proto", "HTTPS")])
                .status, 404)
    }

    @Test func `limits are per operation and defined by the contract`() {
        let body = "{\"password\":\"wrong\"}"
        for _ in 0..<3 { expectEqual(kit.http("POST", "/admin/login", body).status, 401) }
        expectEqual(kit.http("POST", "/admin/login", body).status, 429)
        kit.clock.advance(by: .minutes(15))
        expectEqual(kit.http("POST", "/admin/login", body).status, 401)
    }

    @Test func `a token of one contract is refused by another with the same key and issuer`() throws
    {
        let contracts = Contract.all + [SampleContract.contract]
        let kits = try contracts.map { try ContractKit($0) }
        for (index, kit) in kits.enumerated() {
            var user = User(
                id: UserID(random: .seeded(1)), email: nil, isEmailVerified: false,
                displayName: nil, identities: [], createdAt: kit.clock.now)
            user.publicID = 1
            let token = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
                to: user, session: SessionID(random: .seeded(2)), boundTo: nil, at: kit.clock.now
            ).reveal()
            for (other, judge) in kits.enumerated() {
                let isAccepted =
                    (try? judge.auth.accessTokens.verify(token, at: kit.clock.now)) != nil
                expectEqual(isAccepted, index == other)
            }
        }
    }

    @Test func `every contract is found by its exact name`() {
        for contract in Contract.all {
            expectEqual(Contract.named(contract.name)?.name, contract.name)
        }
        expectEqual(Set(Contract.all.map(\.name)).count, Contract.all.count)
        for name in ["", "Latchkey", "latchkey ", "lat\u{212A}hkey", "sample"] {
            #expect(Contract.named(name) == nil)
        }
    }

    @Test func `providers' tokens are kept where housekeeping revokes them, and nowhere else`() {
        for contract in Contract.all {
            let revokes = contract.endpoints.contains {
                $0.operation == .housekeeping && $0.needs.contains(.erasure)
            }
            expectEqual(contract.policy.identity.keepsTokens, revokes, "\(contract.name)")
        }
    }

    private static let needs: [AuthOperation: ServiceNeeds] = [
        .signIn: [.sessions, .identityProviders], .refresh: [.sessions], .signOut: [.sessions],
        .keySet: [.sessions], .credentials: [.storage], .login: [.sessions],
        .completeRegistration: [.sessions], .resendVerification: [.mail, .links],
        .housekeeping: [.mail, .sessions], .forgotPassword: [.mail, .links],
        .resetPassword: [.mail],
        .changePassword: [.sessions, .mail], .requestMagicLink: [.mail, .links],
        .redeemMagicLink: [.sessions, .mail], .adminLogin: [.adminPassword],
        .requestAddressVerification: [.mail, .links],
        .linkIdentity: [.sessions, .identityProviders, .mail],
        .removeMethod: [.sessions, .mail], .addPassword: [.mail, .links],
        .completeAddPassword: [.mail], .linkByTokens: [.identityProviders],
        .appleNotification: [.identityProviders, .mail],
        .deleteAccount: [.sessions, .mail, .erasure],
        .verifyAudit: [.auditKeys], .rotateKeys: [.sessions], .retireKey: [.sessions],
        .secondFactor: [.sessions, .mail], .enrolAuthenticator: [.sessions, .mail],
        .confirmAuthenticator: [.sessions, .mail],
        .replaceRecoveryCodes: [.sessions, .mail],
        .removeAuthenticator: [.sessions, .mail], .trustDevice: [.sessions, .notices],
        .passkeyOptions: [.passkeys], .signUpWithPasskey: [.sessions, .passkeys],
        .signInWithPasskey: [.sessions, .passkeys, .notices], .listPasskeys: [.passkeys],
        .addPasskey: [.passkeys, .mail], .renamePasskey: [.passkeys],
        .removePasskey: [.passkeys, .mail],
        .stepUp: [.sessions, .mail, .passkeyFactor, .identityProvidersIfAny],
        .requestNewAddress: [.mail, .links], .undoAddressChange: [.mail],
        .createGuest: [.sessions], .redeemSignInCode: [.sessions],
        .mergeAccounts: [.sessions, .mail, .moving],
        .relatedOrigins: [.relyingParty],
        .appleAppSiteAssociation: [.relyingParty], .assetLinks: [.relyingParty],
    ]

    /// An operation that uses a service which its endpoint does not declare would fail at the first
    /// request, and only in that contract.
    @Test func `every endpoint declares the services that it needs`() throws {
        for contract in Contract.all {
            for endpoint in contract.endpoints {
                // Each page and action needs its own (`AdminConsole`, `UserAction`).
                if endpoint.operation.isServed(by: "admin") { continue }
                let needs: ServiceNeeds =
                    endpoint.isPage
                    // The needs of all operations that pages call.
                    ? [
                        .sessions, .mail, .links, .hooks, .identityProvidersIfAny,
                        .passkeyFactor, .erasure,
                    ] : Self.needs(of: endpoint, in: contract)
                expectEqual(endpoint.needs, needs, "\(endpoint.operation.name)")
            }
        }
    }

    private static func needs(of endpoint: Endpoint, in contract: Contract) -> ServiceNeeds {
        var needs = Self.needs[endpoint.operation] ?? []
        if endpoint.operation == .register,
            contract.policy.passwords?.registration != .immediate
        {
            needs = [.mail, .links]
        }
        if endpoint.operation == .completeRegistration,
            contract.policy.passwords?.registration
                == .afterVerification(repeatsPassword: false)
        {
            needs.formUnion([.mail, .links])
        }
        if endpoint.operation == .housekeeping,
            contract.endpoints.contains(where: { $0.operation == .deleteAccount })
        {
            needs.formUnion([.erasure, .hooks])
        }
        if endpoint.operation == .housekeeping, contract.policy.merging != nil {
            needs.formUnion([.moving, .hooks])
        }
        // The mail about a change has the link that undoes it.
        let undoable: [AuthOperation] = [
            .verifyAddress, .completeAddPassword, .linkIdentity, .addPasskey,
            .confirmAuthenticator, .replaceRecoveryCodes, .removeAuthenticator,
        ]
        if contract.policy.emailChanges != nil, undoable.contains(endpoint.operation) {
            needs.formUnion([.mail, .links])
        }
        if endpoint.operation == .undoMethodChange { needs.insert(.mail) }
        if endpoint.operation == .housekeeping, contract.name == "latchkey" {
            needs.insert(.webhooks)
        }
        if contract.policy.devices != nil, [.signIn, .login].contains(endpoint.operation) {
            needs.insert(.notices)
        }
        if contract.policy.passkeys != nil, endpoint.operation == .secondFactor {
            needs.insert(.passkeyFactor)
        }
        let issuesTokens: [AuthOperation] = [
            .signIn, .register, .completeRegistration, .login, .redeemMagicLink,
            .secondFactor, .signUpWithPasskey, .signInWithPasskey, .createGuest,
            .mergeAccounts, .refresh, .stepUp, .changePassword, .removeMethod,
            .confirmAuthenticator, .removeAuthenticator, .deleteAccount,
            .redeemSignInCode,
        ]
        if contract.policy.asksHooks, issuesTokens.contains(endpoint.operation) {
            needs.insert(.hooks)
        }
        if contract.name == "photolala", endpoint.operation == .signIn { needs.insert(.storage) }
        return needs
    }
}
