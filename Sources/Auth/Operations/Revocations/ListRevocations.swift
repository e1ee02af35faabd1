package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import KeyValueStore
package import Time

/// A list as it is sent.
package struct SignedRevocations: Sendable {
    package let token: String
    /// A weak ETag, because each process signs its own list.
    package let tag: String
    package let cacheLifetime: Span
}

/// Tells servers that verify access tokens themselves which sessions, users and clients have ended.
/// The answer is a signed list that caches may keep for a short time. The list contains everything
/// that ended within the longest lifetime of an access token, or since a time that the server
/// states.
package struct ListRevocations: Sendable {
    package static let tokenType = "revocations+jwt"
    /// The maximum size of header, signature and the other claims.
    private static let headBytesMax = 4096

    let auth: AuthServices

    /// - Parameter since: a time in seconds. It is rounded down to a step, so that servers can
    ///   share cached lists. With nil, or a time longer ago than a token's lifetime, the list has
    ///   everything.
    package func callAsFunction(since: Int64?) throws(AuthError) -> SignedRevocations {
        let policy = try auth.revocationPolicy
        let window = try self.window
        let known = try auth.revocationMemory.known(auth, within: window)
        let step = policy.step.seconds
        let oldest = (known.readAt - window).seconds
        let start = since.map { min($0, known.readAt.seconds) / step * step }
            .flatMap { $0 > oldest ? $0 : nil }
        let content = Content(known, since: start, bytesMax: policy.bytesMax)
        let digest = SHA256.hash(content.members.serialized)
        let tag = "\(Base64URL.encode(Array(digest[..<16])))-\(known.readAt.seconds / step)"
        if let list = auth.revocationMemory.list(start, tag: tag) { return list }
        let list = SignedRevocations(
            token: try sign(content, readAt: known.readAt, policy), tag: tag,
            cacheLifetime: policy.cacheLifetime)
        auth.revocationMemory.keep(list, start, until: oldest)
        return list
    }

    /// The longest lifetime of an access token, including on a server whose clock is behind.
    private var window: Span {
        get throws(AuthError) {
            let policy = try auth.revocationPolicy
            var lifetimes = [auth.policy.accessTokens.lifetime]
            if let oauth = auth.policy.oauth { lifetimes.append(oauth.accessTokenLifetime) }
            lifetimes += auth.oauthIfOn?.resources.compactMap(\.lifetime) ?? []
            let longest = lifetimes.map(\.milliseconds).max() ?? 0
            return .milliseconds(
                longest + policy.delay.milliseconds + policy.leeway.milliseconds)
        }
    }

    /// `iat` is the time when the reading of the store began.
    private func sign(
        _ content: Content, readAt: Instant, _ policy: RevocationPolicy
    ) throws(AuthError) -> String {
        let key = try auth.signingKeys.signingKey(at: readAt)
        var claims: JSONObject = [
            "iss": .string(auth.issuer), "iat": .number(readAt.seconds),
            "exp": .number((readAt + policy.listLifetime).seconds),
        ]
        for (name, value) in content.members.members { claims[name] = value }
        guard
            let token = try? JWT.sign(
                claims, with: key, type: Self.tokenType, includesKeyID: true,
                bytesMax: policy.bytesMax * 2 + Self.headBytesMax)
        else { throw .fault(.signingFailed) }
        return token
    }

    private struct Content {
        let members: JSONObject

        init(_ known: RevocationMemory.Known, since: Int64?, bytesMax: Int) {
            var ids: [JSON] = []
            var epochs: [String: Int64] = [:]
            var clients: [String: Int64] = [:]
            var room = bytesMax
            var isComplete = known.isComplete
            // The latest entries come first: if the list has no room for all, the oldest are left
            // out.
            let rows = known.rows.sorted { $0.key.sort > $1.key.sort }
            for record in rows.lazy.map(\.record) {
                if let since, record.endedAt.seconds < since { break }
                room -= Self.bytes(of: record)
                guard room >= 0 else {
                    isComplete = false
                    break
                }
                ids += record.ids.map { .string($0) }
                switch record.subject {
                case .user(let user):
                    guard let epoch = record.epoch else { continue }
                    epochs[user.text] = max(epoch, epochs[user.text] ?? epoch)
                case .client(let client):
                    let time = record.endedAt.seconds
                    clients[client] = max(time, clients[client] ?? time)
                }
            }
            var members: JSONObject = ["complete": .bool(isComplete)]
            members["since"] = since.map { .number($0) }
            members["ended"] = .array(ids)
            members["epochs"] = Self.object(epochs)
            members["clients"] = Self.object(clients)
            self.members = members
        }

        private static func object(_ numbers: [String: Int64]) -> JSON {
            .object(
                JSONObject(
                    numbers.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) }))
        }

        /// The size includes quotes and commas.
        private static func bytes(of record: EndedRecord) -> Int {
            let names = record.ids.reduce(0) { $0 + $1.utf8.count + 3 }
            let number = 24
            switch record.subject {
            case .user(let user): return names + user.text.utf8.count + number
            case .client(let client): return client.utf8.count + number
            }
        }
    }
}

extension AuthServices {
    package var listRevocations: ListRevocations { ListRevocations(auth: self) }

    /// The URL of the list; nil if there is no list.
    package var revocationsURL: String? {
        let base = issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer
        return policy.revocations == nil ? nil : "\(base)/oauth/revocations"
    }
}

extension AuthOperation {
    package static let listRevocations = AuthOperation(
        "listRevocations", servedBy: "revocations", counting: [])
}
