import Foundation
import LatchkeyClient

/// Caches Google's public keys for an hour. An unknown key ID causes a new request at most once a
/// minute, so that invented IDs do not cause many requests.
actor GooglePublicKeyCache {
    private static let lifetime: TimeInterval = 3600
    private static let pause: TimeInterval = 60

    private let url: URL
    private let transport: any Transport
    private var keys: [String: RSAKey] = [:]
    private var fetchedAt = Date.distantPast
    private var flight: Task<[String: RSAKey], any Error>?

    init(url: URL, transport: any Transport) {
        self.url = url
        self.transport = transport
    }

    /// nil if Google has no such key.
    func key(_ id: String, at now: Date) async throws -> RSAKey? {
        let age = abs(now.timeIntervalSince(fetchedAt))
        if age < (keys[id] == nil ? Self.pause : Self.lifetime) { return keys[id] }
        // The cache owns this task: all concurrent callers wait for it.
        let task =
            flight
            ?? Task {
                defer { flight = nil }
                return try await fetch()
            }
        flight = task
        keys = try await task.value
        fetchedAt = now
        return keys[id]
    }

    private func fetch() async throws -> [String: RSAKey] {
        struct KeySet: Decodable {
            struct Key: Decodable {
                let kid: String?
                let kty: String
                let n: String?
                let e: String?
            }
            let keys: [Key]
        }
        let answer = try await transport.send(HTTPRequest("GET", url, answerBytesMax: 64 << 10))
        guard answer.status == 200,
            let set = try? JSONDecoder().decode(KeySet.self, from: answer.body)
        else { throw GoogleSignInError.tokenExchangeFailed("no keys") }
        return set.keys.reduce(into: [:]) { keys, key in
            guard key.kty == "RSA", let kid = key.kid, let n = key.n.flatMap(bytes),
                let e = key.e.flatMap(bytes), let value = RSAKey(modulus: n, exponent: e)
            else { return }
            keys[kid] = value
        }
    }
}
