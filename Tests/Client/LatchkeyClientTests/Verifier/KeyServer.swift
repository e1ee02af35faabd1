import Cryptography
import JOSE
import JSON
import LatchkeyVerifier
import Synchronization

/// A server that publishes keys, issues tokens, and can fail.
final class KeyServer: Transport {
    enum Answer: Sendable {
        case keys([SigningKey])
        case text(Int, String)
        case failure(TransportError)
        case waits(Gate, [SigningKey])
    }

    static let issuer = "https://auth.example.com"

    let clock = ManualClock()
    let key: SigningKey
    private let state: Mutex<(answer: Answer, requests: [HTTPRequest])>

    init() throws {
        let key = try SigningKey.generate(.es256, random: .system)
        self.key = key
        state = Mutex((.keys([key]), []))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func answers(_ answer: Answer) { state.withLock { $0.answer = answer } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        switch answer {
        case .keys(let keys): return Self.response(keys)
        case .text(let status, let text):
            return HTTPResponse(status: status, body: Data(text.utf8))
        case .failure(let error): throw error
        case .waits(let gate, let keys):
            await gate.wait()
            return Self.response(keys)
        }
    }

    private static func response(_ keys: [SigningKey]) -> HTTPResponse {
        HTTPResponse(status: 200, body: Data(set(keys).serialized))
    }

    static func set(_ keys: [SigningKey]) -> JSON {
        ["keys": .array(keys.compactMap(\.publicJWK).map { .object($0) })]
    }

    func verifier(
        audience: String = "latchkey",
        _ change: (inout AccessTokenVerifier.Options) -> Void = { _ in }
    ) throws -> AccessTokenVerifier {
        var options = AccessTokenVerifier.Options()
        change(&options)
        return try AccessTokenVerifier(
            issuer: Self.issuer, audience: audience, transport: self, clock: clock,
            options: options)
    }

    /// The claims of a token that is valid for a quarter of an hour.
    var claims: JSONObject {
        let now = Int64(clock.truth)
        return [
            "iss": .string(Self.issuer), "aud": "latchkey", "sub": "ada",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 900)),
            "sid": "session", "acr": "aal1", "amr": ["pwd"],
            "auth_time": .number(JSONNumber(now - 5)), "role": "editor",
        ]
    }

    /// A token with some claims replaced, or removed with null.
    func token(
        _ changes: JSONObject = [:], key: SigningKey? = nil, type: String? = "at+jwt",
        namesKey: Bool = true
    ) throws -> String {
        var claims = claims
        for change in changes.members {
            claims[change.name] = change.value.isNull ? nil : change.value
        }
        return try JWT.sign(claims, with: key ?? self.key, type: type, includesKeyID: namesKey)
    }

    func seconds(_ offset: Int64) -> JSON { .number(JSONNumber(Int64(clock.truth) + offset)) }
}
