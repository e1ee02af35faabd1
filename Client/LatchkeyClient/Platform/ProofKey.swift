public import Foundation

/// A key that never leaves the device, for tokens that are valid only with its proofs (RFC 9449).
///
/// On Apple's systems, use `SecureEnclaveProofKey`. Elsewhere the app provides its own type.
public protocol ProofKey: Sendable {
    /// `ES256`, or another algorithm that the server accepts.
    var algorithm: String { get }
    /// The public key as a JSON Web Key: only the members that the key type requires.
    var publicKey: [String: String] { get }
    /// A signature in the form of RFC 7515: for ES256, 64 bytes.
    func sign(_ message: Data) async throws -> Data
}

extension LatchkeyClient {
    /// Adds a proof of the key to a request, if the client has a key.
    func proving(
        _ request: HTTPRequest, accessToken: String?
    ) async throws(AuthError) -> HTTPRequest {
        guard let key = options.proofKey else { return request }
        var target = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        target?.query = nil
        target?.fragment = nil
        guard let address = target?.string else { throw .unsupported("the URL") }
        // The server's clock decides whether the proof is fresh.
        let offset = machine.live?.record.serverOffset ?? 0
        let header = JSON.object([
            "typ": "dpop+jwt", "alg": key.algorithm.json,
            "jwk": .object(key.publicKey.mapValues { $0.json }),
        ])
        let claims = JSON.members([
            "jti": options.randomText(bytes: 16).json, "htm": request.method.json,
            "htu": address.json,
            "iat": .integer(Int64(clock.now().timeIntervalSince1970 + offset)),
            "ath": accessToken.map { Base64URL.encode(SHA256.hash(Array($0.utf8))).json },
        ])
        let message = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        let signature: Data
        do {
            signature = try await key.sign(Data(message.utf8))
        } catch {
            throw .unsupported("signing with the proof key: it cannot be used now")
        }
        var request = request
        request.headers["DPoP"] = message + "." + Base64URL.encode(signature)
        return request
    }
}
