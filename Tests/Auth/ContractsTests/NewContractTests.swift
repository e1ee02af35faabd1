import AuthDomain
import AuthOperations
import AuthTestSupport
import Contracts
import Cryptography
import JSON
import Testing
import Time

/// What the next contract costs: this value and nothing else.
private let tiny = Contract(
    name: "tiny",
    policy: Policy(
        accessTokenLifetime: .minutes(5), idleLifetime: .days(1), absoluteLifetime: .days(2),
        grace: .seconds(10), reuseScope: .user, refreshTokenForm: .opaque(prefix: "t."),
        accessToken: AccessTokenForm(
            algorithm: .hs256, type: "tiny+jwt", audience: "tiny", carriesEmail: true),
        nonce: .none, rateLimits: []),
    endpoints: [
        Endpoint(
            .signIn, .post("/login"),
            .signIn(
                read: { fields throws(Problem) in
                    SignIn.Input(provider: "apple", idToken: try fields.required("token"))
                },
                write: { output in
                    Answer(201, ["t": .string(output.tokens?.access.reveal() ?? "")])
                })),
        Endpoint(.me, .get("/whoami"), .me { Answer(["who": .string($0.user.id.text)]) }),
    ],
    face: { problem, _ in Face(Answer(418, ["no": true]), code: "NO") })

@Suite("A new contract") struct NewContractTests {
    @Test func `it is one value in one file, served by the same dispatcher`() throws {
        let kit = try ContractKit(tiny)
        kit.fake.add("one")
        let login = kit.http("POST", "/login", "{\"token\":\"one\"}")
        #expect(login.status == 201)
        let bearer = login["t"]?.stringValue
        #expect(kit.http("GET", "/whoami", bearer: bearer)["who"] != nil)
        #expect(kit.http("GET", "/whoami").status == 418)
        #expect(kit.http("POST", "/login", "{}").body == ["no": true])
    }

    @Test func `a token of one contract is none of another, with the same key and issuer`() throws {
        let contracts = [Contract.latchkey, .whateat, .photolala, tiny]
        let kits = try contracts.map { try ContractKit($0) }
        for (index, kit) in kits.enumerated() {
            let user = User(
                id: UserID(random: .seeded(1)), email: nil, isEmailVerified: false,
                displayName: nil, identities: [], createdAt: kit.kit.clock.now)
            let now = kit.kit.clock.now
            let token = try kit.kit.tokens.signer(at: now).issue(
                to: user, session: SessionID(random: .seeded(2)), at: now
            ).reveal()
            for (other, judge) in kits.enumerated() {
                let isAccepted = (try? judge.kit.tokens.verify(token, at: now)) != nil
                #expect(isAccepted == (index == other))
            }
        }
    }

    @Test func `every contract is found by its name, in one spelling`() {
        #expect(Contract.all.map(\.name) == ["latchkey", "whateat", "photolala"])
        for name in ["", "Latchkey", "latchkey ", "lat\u{212A}hkey", "shell"] {
            #expect(Contract.named(name) == nil)
        }
    }
}
