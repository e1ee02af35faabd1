import AuthTestSupport
import Contracts
import FunctionRuntime
import TestSupport

/// What holds for every contract, and the routes that an application adds to one.
@Suite("Contracts") struct ContractTests {
    @Test func `a route of an application gets the user, the path and the query`() throws {
        let contract = try Self.contract()
        let kit = try ContractKit(contract)
        let user = kit.signedIn()
        let bearer = try #require(user["accessToken"]?.stringValue)
        let request = Request(
            method: "POST", path: "/content/42", query: [("sort", "new")],
            headers: [HTTPHeader("authorization", "Bearer \(bearer)")], requestID: "1")
        let id = user["user"]?["id"] ?? .null
        expectEqual(kit.send(request)?.answer.json, ["content": "42", "user": id, "sort": "new"])
        expectEqual(kit.http("POST", "/content/42").status, 401)
    }

    @Test func `an open route gets the user, if there is one`() throws {
        let kit = try ContractKit(try Self.contract())
        let user = kit.signedIn()
        let bearer = user["accessToken"]?.stringValue
        expectEqual(kit.http("GET", "/content", bearer: bearer)["user"], user["user"]?["id"])
        expectEqual(kit.http("GET", "/content").json, ["user": .null])
        expectEqual(kit.http("GET", "/content", bearer: "junk").status, 401)
    }

    private static func contract() throws -> Contract {
        let latchkey = Contract.latchkey
        let endpoints: [Endpoint] = [
            .signedIn(AuthOperation("favorite"), .post("/content/{id}")) { call, principal, _ in
                Answer([
                    "content": .string(call.parameter("id")),
                    "user": .string(principal.user.id.text),
                    "sort": call.query("sort").map { .string($0) } ?? .null,
                ])
            },
            .optionallySignedIn(AuthOperation("content"), .get("/content")) { _, principal, _ in
                Answer(["user": principal.map { .string($0.user.id.text) } ?? .null])
            },
        ]
        return Contract(
            name: latchkey.name, policy: latchkey.policy,
            endpoints: latchkey.endpoints + endpoints, errors: latchkey.errors)
    }

    @Test func `a token of one contract is refused by another that has the same key and issuer`()
        throws
    {
        let kits = try Contract.all.map { try ContractKit($0) }
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
        for name in ["", "Latchkey", "latchkey ", "lat\u{212A}hkey", "nothing"] {
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
        .signIn: [.sessions, .identityProviders], .refresh: [.sessions],
        .signOut: [.sessions, .oauth],
        .keySet: [.sessions, .oauth], .discovery: [.oauth], .serverMetadata: [.oauth],
        .insertedMetadata: [.oauth], .listApplications: [.oauth], .removeApplication: [.oauth],
        .describeUser: [.sessions, .oauth, .hooks],
        .describeUserByForm: [.sessions, .oauth, .hooks],
        .endGrant: [.sessions, .oauth], .pushRequest: [.sessions, .oauth],
        .listRevocations: [.sessions, .oauth],
        .inspectToken: [.sessions, .oauth], .beginDevice: [.sessions, .oauth],
        .issueTokens: [.sessions, .oauth, .hooks], .registerClient: [.sessions, .oauth],
        .credentials: [.storage], .login: [.sessions],
        .completeRegistration: [.sessions], .resendVerification: [.mail, .links],
        .housekeeping: [.mail, .sessions, .oauth], .forgotPassword: [.mail, .links],
        .resetPassword: [.mail],
        .changePassword: [.sessions, .mail], .requestMagicLink: [.mail, .links],
        .redeemMagicLink: [.sessions, .mail], .adminLogin: [.adminPassword],
        .requestAddressVerification: [.mail, .links],
        .linkIdentity: [.sessions, .identityProviders, .mail],
        .removeMethod: [.sessions, .mail], .addPassword: [.mail, .links],
        .completeAddPassword: [.mail], .linkByTokens: [.identityProviders],
        .appleNotification: [.identityProviders, .mail],
        .deleteAccount: [.sessions, .mail, .erasure],
        .verifyAudit: [.auditKeys], .inspectSession: [.sessions],
        .rotateKeys: [.sessions], .retireKey: [.sessions],
        .secondFactor: [.sessions, .mail], .enrolAuthenticator: [.sessions, .mail],
        .confirmAuthenticator: [.sessions, .mail], .replaceRecoveryCodes: [.sessions, .mail],
        .removeAuthenticator: [.sessions, .mail], .trustDevice: [.sessions, .notices],
        .passkeyOptions: [.passkeys], .signUpWithPasskey: [.sessions, .passkeys],
        .signInWithPasskey: [.sessions, .passkeys, .notices], .listPasskeys: [.passkeys],
        .addPasskey: [.passkeys, .mail], .renamePasskey: [.passkeys],
        .removePasskey: [.passkeys, .mail],
        .stepUp: [.sessions, .mail, .passkeyFactor, .identityProvidersIfAny],
        .requestNewAddress: [.mail, .links], .undoAddressChange: [.mail],
        .createGuest: [.sessions], .redeemSignInCode: [.sessions],
        .mergeAccounts: [.sessions, .mail, .moving], .relatedOrigins: [.relyingParty],
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
                        .passkeyFactor, .erasure, .oauth,
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
        if contract.policy.oauth == nil, endpoint.operation != .housekeeping {
            needs.subtract(.oauth)
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
            .confirmAuthenticator, .removeAuthenticator, .deleteAccount, .redeemSignInCode,
        ]
        if contract.policy.asksHooks, issuesTokens.contains(endpoint.operation) {
            needs.insert(.hooks)
        }
        if contract.name == "photolala", endpoint.operation == .signIn { needs.insert(.storage) }
        return needs
    }
}
