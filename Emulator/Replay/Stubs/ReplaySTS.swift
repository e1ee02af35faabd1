internal import AWSSignature
internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import HTTP
internal import JOSE
internal import JSON
internal import Synchronization
internal import Time
internal import XML

/// The emulator's STS on a loopback port, with a separate path for each fixture.
///
/// Every caller that signs with the access key of `settings.json`, or presents a token of the
/// fixture's issuer, may assume any role.
final class ReplaySTS: Sendable {
    private let state: State
    private let server: Server

    /// `granted` is called with each secret of the issued credentials.
    init(
        accessKey: AccessKey?, random: RandomSource,
        granted: @escaping @Sendable (_ secret: String) -> Void
    ) throws {
        let state = State(accessKey, random)
        self.state = state
        server = try Server { request, slot in
            switch state.answer(to: request) {
            case .granted(let account):
                let response = account.answer(ServiceCall(request), random)
                Self.secrets(in: response).forEach(granted)
                slot.respond(ServerResponse(response))
            case .fault(let fault): slot.respond(ServerResponse(fault.response(random)))
            case .html:
                slot.respond(ServerResponse(status: 200, body: Array("<html>Oops</html>".utf8)))
            case .silent: state.hold(slot)
            }
        }
    }

    func stop() {
        server.stop()
        state.releaseAll()
    }

    /// The URL of an endpoint with this response.
    func endpoint(of id: String, answering answer: STSScript.Answer) throws -> String {
        try state.open(id, answer)
        return "http://127.0.0.1:\(server.port)/\(id)"
    }

    /// Accepts the issuer's tokens at that endpoint.
    func trust(_ issuer: String, _ keys: KeySet, at id: String) throws {
        try state.trust(issuer, keys, at: id)
    }

    /// The calls to that endpoint.
    func forms(of id: String) -> [JSONObject] { state.forms(of: id) }

    private static func secrets(in response: HTTPResponse) -> [String] {
        guard let answer = try? XMLElement.parse(response.body) else { return [] }
        let credentials = answer.children.lazy.compactMap { $0["Credentials"] }.first
        return ["SecretAccessKey", "SessionToken"].compactMap { credentials?[$0]?.text }
    }
}

extension ReplaySTS {
    fileprivate enum Answer {
        case granted(ReplayAccount)
        case fault(STSFault)
        case html, silent
    }

    private final class State: Sendable {
        private struct Endpoint: Sendable {
            let answer: STSScript.Answer
            var account: ReplayAccount
            var forms: [JSONObject] = []
        }

        private let accessKey: AccessKey?
        private let random: RandomSource
        private let endpoints = Mutex<[String: Endpoint]>([:])
        /// Slots without a response. A slot responds itself when it is released.
        private let waiting = Mutex<[ResponseSlot]>([])

        init(_ accessKey: AccessKey?, _ random: RandomSource) {
            self.accessKey = accessKey
            self.random = random
        }

        func open(_ id: String, _ answer: STSScript.Answer) throws {
            let account = try ReplayAccount(accessKey, random)
            endpoints.withLock { $0[id] = Endpoint(answer: answer, account: account) }
        }

        func trust(_ issuer: String, _ keys: KeySet, at id: String) throws {
            let account = try ReplayAccount(accessKey, random, trusting: (issuer, keys))
            endpoints.withLock { $0[id]?.account = account }
        }

        func forms(of id: String) -> [JSONObject] { endpoints.withLock { $0[id]?.forms ?? [] } }

        func hold(_ slot: ResponseSlot) { waiting.withLock { $0.append(slot) } }

        func releaseAll() { waiting.withLock { $0 = [] } }

        /// Answers a request, and records the call.
        func answer(to request: ServerRequest) -> Answer {
            let id = String(request.path.dropFirst().prefix { $0 != "/" })
            let form = Self.form(request)
            let endpoint = endpoints.withLock { endpoints in
                endpoints[id]?.forms.append(form)
                return endpoints[id]
            }
            guard let endpoint else { return .fault(.accessDenied) }
            switch endpoint.answer {
            case .granted: return .granted(endpoint.account)
            case .fault(let fault): return .fault(fault)
            case .html: return .html
            case .silent: return .silent
            }
        }

        private static func form(_ request: ServerRequest) -> JSONObject {
            let body = String(decoding: request.body, as: UTF8.self)
            var form: JSONObject = [:]
            for (name, value) in PercentEncoding.parseForm(body, pairsMax: 64) ?? [] {
                form[name] = .string(value)
            }
            form["signed"] = .bool(request.header("authorization") != nil)
            return form
        }
    }
}

/// An account in which every role exists and may be assumed.
private struct ReplayAccount: Sendable {
    static let number = "123456789012"
    private static let audience = "sts.amazonaws.com"

    private let authority: CredentialAuthority
    private let keys: IssuerKeys

    init(
        _ accessKey: AccessKey?, _ random: RandomSource,
        trusting issuer: (name: String, keys: KeySet)? = nil
    ) throws {
        let providers = issuer.map {
            [OpenIDProvider(issuer: $0.name, audiences: [Self.audience])]
        }
        authority = try CredentialAuthority(
            directory: IAMDirectory(
                account: Self.number, accessKeys: accessKey.map { [$0] } ?? [],
                providers: providers ?? [], inventsRoles: true),
            root: random.secret(count: 32), random: random)
        keys = IssuerKeys { _ throws(IssuerKeys.Failure) in
            guard let issuer else { throw .unreachable }
            return issuer.keys
        }
    }

    /// The clock of a step may be hours behind, and its call is signed with that time.
    func answer(_ call: ServiceCall, _ random: RandomSource) -> HTTPResponse {
        let signature = try? PresentedSignature.find(in: call.signable)
        let clock = signature.map { WallClock.fixed(at: $0.signedAt) } ?? .system
        return STSService(authority, keys: keys, clock: clock, random: random).answer(STSCall(call))
    }
}

extension AccessKey {
    /// The access key of the replayed functions.
    init(id: String, secret: String) {
        let owner = IAMUser.named(
            "functions", account: ReplayAccount.number, policies: [.everything])
        self.init(id: id, secret: SecretBytes(utf8: secret), owner: owner)
    }
}

extension ServiceCall {
    fileprivate init(_ request: ServerRequest) {
        self.init(
            method: request.method, target: request.target, headers: request.headers,
            body: request.body, sourceAddress: request.peer.hostText)
    }
}
