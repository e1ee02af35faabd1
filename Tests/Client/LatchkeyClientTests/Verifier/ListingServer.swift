import Bytes
import Cryptography
import JOSE
import JSON
import LatchkeyVerifier
import Synchronization

/// A server with keys and a revocation list, which may be wrong or missing.
final class ListingServer: Transport {
    struct Contents: Sendable {
        var ended: [String] = []
        var epochs: JSONObject = [:]
        var clients: JSONObject = [:]
        /// Claims that are replaced, or removed with null.
        var changes: JSONObject = [:]
        var type = "revocations+jwt"
        var signer: SigningKey?
        /// The answer instead of the list.
        var status: Int?
        var tag: String?
        var isDown = false
    }

    let keys: KeyServer
    private let state: Mutex<(contents: Contents, requests: [HTTPRequest])>

    init() throws {
        keys = try KeyServer()
        state = Mutex((Contents(), []))
    }

    var clock: ManualClock { keys.clock }
    /// The requests for the list.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func change(_ change: (inout Contents) -> Void) { state.withLock { change(&$0.contents) } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if request.url.path.hasSuffix("jwks.json") { return try await keys.send(request) }
        let contents = state.withLock { state in
            state.requests.append(request)
            return state.contents
        }
        if contents.isDown { throw .lost }
        if let status = contents.status { return HTTPResponse(status: status) }
        let since = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?
            .queryItems?.first { $0.name == "since" }?.value.flatMap { Int64($0) }
        guard let list = try? list(contents, since) else { throw .lost }
        return HTTPResponse(
            status: 200, headers: contents.tag.map { ["ETag": $0] } ?? [:], body: Data(list.utf8))
    }

    private func list(_ contents: Contents, _ since: Int64?) throws -> String {
        var claims: JSONObject = [
            "iss": .string(KeyServer.issuer), "iat": keys.seconds(0), "exp": keys.seconds(120),
            "ended": .array(contents.ended.map { .string($0) }),
            "epochs": .object(contents.epochs), "clients": .object(contents.clients),
            "complete": true,
        ]
        claims["since"] = since.map { .number(JSONNumber($0)) }
        for change in contents.changes.members {
            claims[change.name] = change.value.isNull ? nil : change.value
        }
        return try JWT.sign(
            claims, with: contents.signer ?? keys.key, type: contents.type, includesKeyID: true)
    }

    func verifier(
        _ change: (inout RevocationList.Options) -> Void = { _ in }
    ) throws -> AccessTokenVerifier {
        var options = RevocationList.Options()
        change(&options)
        let list = try RevocationList(
            issuer: KeyServer.issuer, transport: self, clock: clock, options: options)
        var own = AccessTokenVerifier.Options()
        own.revocations = list
        return try AccessTokenVerifier(
            issuer: KeyServer.issuer, transport: self, clock: clock, options: own)
    }

    /// A token with what the list is about.
    func token(_ changes: JSONObject = [:]) throws -> String {
        var claims: JSONObject = ["epoch": 3, "client_id": "printer"]
        for change in changes.members { claims[change.name] = change.value }
        return try keys.token(claims)
    }
}
