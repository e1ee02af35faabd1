import AuthDomain
import AuthOperations
import AuthTestSupport
import Bytes
import Contracts
import Cryptography
import FunctionRuntime
import HTTP
import JSON
import KeyValueStore
import Time

/// A contract served in this process, over the real operations.
struct ContractKit {
    let kit: AuthKit
    let fake = FakeDesk()
    let contract: Contract
    let operations: Operations

    init(_ contract: Contract, hasStorage: Bool = true, store: (any KeyValueStore)? = nil) throws {
        var policy = contract.policy
        policy.accessToken.algorithm = .hs256
        kit = try AuthKit(policy: policy, clock: TestClock(), store: store)
        self.contract = contract
        let broker = StorageBroker { grant, now throws(StorageFailure) in
            StorageKeys(
                accessKeyID: "ASIAEXAMPLE", secretAccessKey: SecretBytes(utf8: "secret"),
                sessionToken: SecretBytes(utf8: "session"), expiresAt: now + grant.lifetime)
        }
        let place = BucketName(parsing: "photos").map {
            StoragePlace(
                bucket: $0, region: "eu-central-1", partition: "aws",
                prefixTemplate: "users/{userId}/", endpoint: nil)
        }
        let kit = kit
        operations = Operations(
            challenge: kit.challenge, signIn: kit.signIn(fake.desk), refresh: kit.refresh,
            signOut: kit.signOut, authenticate: kit.authenticate, listSessions: kit.listSessions,
            revokeSession: kit.revokeSession,
            credentials: hasStorage
                ? place.map {
                    IssueCredentials(
                        kit.ground, limiter: kit.limiter, authenticate: kit.authenticate,
                        place: $0, broker: broker)
                } : nil,
            publishKeys: PublishKeys(
                kit.ground, ring: kit.ring, issuer: "https://auth.example.com"))
    }

    func send(_ request: Request, to served: [Operation] = Operation.allCases) -> Dispatcher
        .Outcome?
    {
        Dispatcher(contract: contract, serving: served, operations: operations)?
            .outcome(of: request)
    }

    func http(
        _ method: String, _ path: String, _ body: String = "", bearer: String? = nil,
        type: String? = "application/json", to served: [Operation] = Operation.allCases
    ) -> Answer {
        var headers: [HTTPHeader] = []
        if let type { headers.append(HTTPHeader("content-type", type)) }
        if let bearer { headers.append(HTTPHeader("authorization", "Bearer \(bearer)")) }
        let request = Request(
            method: method, path: path, headers: headers, body: Array(body.utf8),
            sourceAddress: "192.0.2.1", userAgent: "Test", requestID: "1")
        return send(request, to: served)?.answer ?? Answer(0, nil)
    }

    func direct(_ payload: JSONObject, to served: [Operation]) -> Answer {
        send(Request(form: .direct, payload: payload, requestID: "1"), to: served)?.answer
            ?? Answer(0, nil)
    }

    /// The answer of a sign-in with a token that is made for it.
    func signedIn(
        path: String = "/auth/signin", _ identity: FakeIdentity = FakeIdentity()
    ) -> Answer {
        let token = Hex.encode(kit.ground.random.bytes(8))
        fake.add(token, identity)
        return http(
            "POST", path, "{\"provider\":\"\(identity.provider)\",\"idToken\":\"\(token)\"}")
    }
}

extension Answer {
    var members: [String] { body?.objectValue?.members.map(\.name) ?? [] }
    subscript(name: String) -> JSON? { body?[name] }
    var code: String? { body?["error"]?["code"]?.stringValue ?? body?["code"]?.stringValue }
}
