package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JOSE
internal import JSON
internal import KeyValueStore
internal import Synchronization
package import Time

/// Clients whose ID is the URL of a document that describes them (OAuth Client ID Metadata
/// Document): nobody registers them.
package final class ClientDocuments: Sendable {
    /// The accepted hosts; nil for all.
    private let hosts: [String]?
    private let get: @Sendable (_ url: String) -> Answer?
    /// Locks for fetching documents: while one thread fetches a document, others that need it wait,
    /// and then find it in the store.
    private let turns: [Turn]

    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    /// A document or a key set, and how long it may be cached.
    package struct Answer: Sendable {
        package let body: [UInt8]
        package let ageMax: Span?

        package init(body: [UInt8], ageMax: Span?) {
            self.body = body
            self.ageMax = ageMax
        }
    }

    private static let turnCount = 16
    private static let urlBytesMax = 2048
    private static let freshness = Span.minutes(5)...Span.hours(24)
    /// How long a document that is no longer fresh may still be used for token requests.
    static let tolerance = Span.hours(24)
    /// The minimum age of a document before it is fetched again because it lacks a key.
    static let keyPause = Span.minutes(1)

    /// - Parameters:
    ///   - hosts: the hosts whose documents are accepted; nil for all.
    ///   - get: fetches a URL that an unknown person has chosen.
    package init(hosts: [String]?, get: @escaping @Sendable (_ url: String) -> Answer?) {
        self.hosts = hosts
        self.get = get
        turns = (0..<Self.turnCount).map { _ in Turn() }
    }

    /// Whether a client may have this ID, judged before anything is fetched.
    func accept(_ id: String) -> Bool {
        guard id.utf8.count <= Self.urlBytesMax, id.hasPrefix("https://"),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#@".utf8.contains($0) })
        else { return false }
        let rest = id.dropFirst(8)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.utf8.count).prefix { $0 != "?" }
        let host = authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.utf8.count)
        // An IP address is not accepted, because it does not identify an owner as a certificate's
        // name does.
        let isName =
            host.utf8.contains(where: \.isLetter)
            && host.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2E || $0 == 0x2D }
        let isPort =
            port.isEmpty || (port.utf8.count > 1 && port.dropFirst().utf8.allSatisfy(\.isDigit))
        let segments = String(path).asciiLowercased.split(separator: "/")
        return isName && isPort && !segments.isEmpty
            && !segments.contains { ["..", ".", "%2e", "%2e%2e", ".%2e", "%2e."].contains($0) }
            && (hosts?.contains { $0.isSame(as: String(host)) } ?? true)
    }

    /// Runs `body` while no other thread runs it for this document.
    func inTurn<Value>(_ url: String, _ body: () throws(AuthError) -> Value) throws(AuthError)
        -> Value
    {
        let index = url.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % Self.turnCount
        let result = turns[index].lock.withLock { _ -> Result<Value, AuthError> in
            do throws(AuthError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// nil if there is no usable document, whatever the reason: the response must not reveal what
    /// was found.
    func fetch(_ url: String, at now: Instant) -> ClientDocumentRecord? {
        guard let response = get(url),
            let object = (try? JSON.parse(response.body, limits: .request))?.objectValue
        else { return nil }
        var keys: [UInt8]?
        if let address = object["jwks_uri"]?.stringValue, object["jwks"] == nil {
            guard address.hasPrefix("https://"), address.utf8.count <= Self.urlBytesMax,
                let found = get(address)
            else { return nil }
            keys = found.body
        }
        let age = response.ageMax.map {
            min(max($0, Self.freshness.lowerBound), Self.freshness.upperBound)
        }
        return ClientDocumentRecord(
            url: url, document: response.body, keys: keys,
            freshUntil: now + (age ?? Self.freshness.lowerBound))
    }
}

extension AuthServices {
    /// The client that is described by the document at the URL.
    ///
    /// - Parameters:
    ///   - url: an accepted URL.
    ///   - row: the stored document.
    ///   - caller: the person who waits for a page. For them, a document that is no longer fresh is
    ///     fetched. nil if a stored document is enough.
    func documentClient(
        _ url: String, _ documents: ClientDocuments, _ row: Item?, _ caller: Caller?
    ) throws(AuthError) -> Client? {
        let tolerance = caller == nil ? ClientDocuments.tolerance : .zero
        let known = try knownDocument(url, row)
        if let known, clock.now() < known.freshUntil + tolerance { return try client(of: known) }
        guard known != nil || caller != nil else { return nil }
        return try documents.inTurn(url) { () throws(AuthError) in
            let known = try knownDocument(url, store.get(StoreLayout.clientDocument(url)))
            if let known, clock.now() < known.freshUntil + tolerance {
                return try client(of: known)
            }
            if let caller { return try fetched(url, documents, for: caller) }
            // The grants of a client do not end while its site is down for a short time.
            do throws(AuthError) {
                if let client = try fetched(url, documents) { return client }
            } catch {
                guard case .rateLimited = error else { throw error }
            }
            return try known.flatMap { known throws(AuthError) in try client(of: known) }
        }
    }

    /// The client with its current document, for a key that the stored document lacks. nil if the
    /// document was fetched a moment ago, or no longer exists.
    func documentClientWithNewKeys(_ url: String) throws(AuthError) -> Client? {
        guard let documents = try oauth.documents, documents.accept(url) else { return nil }
        return try documents.inTurn(url) { () throws(AuthError) in
            guard let known = try store.get(StoreLayout.clientDocument(url)),
                let end = known.expiresAt,
                end <= clock.now() + policy.sessions.idleLifetime - ClientDocuments.keyPause
            else { return nil }
            return try fetched(url, documents)
        }
    }

    /// - Parameter caller: the person who waits for a page. Fetches for token requests are counted
    ///   separately, so that they do not delay pages or other clients.
    private func fetched(
        _ url: String, _ documents: ClientDocuments, for caller: Caller? = nil
    ) throws(AuthError) -> Client? {
        let opening =
            if let caller {
                try open(
                    .fetchClientDocument, counting: [(.address, caller.address), (.overall, "")])
            } else {
                try open(.fetchClientKeys, counting: [(.client, url), (.overall, "")])
            }
        try opening.admit()
        let now = clock.now()
        guard let record = documents.fetch(url, at: now), let client = try client(of: record)
        else { return nil }
        // The document is stored for as long as an unused refresh token is valid.
        let row = record.item(expiresAt: now + policy.sessions.idleLifetime)
        try store.write([.put(row, when: [])])
        return client
    }

    /// The name that people see for a client. No document is fetched.
    ///
    /// - Parameter row: the row with the key `clientKey`.
    func clientName(_ id: String, _ row: Item?) throws(AuthError) -> String? {
        guard let documents = try oauth.documents, documents.accept(id) else {
            return try client(id, row: row)?.name
        }
        let known = try knownDocument(id, row)
        return try known.flatMap { known throws(AuthError) in try client(of: known)?.name }
    }

    private func knownDocument(
        _ url: String, _ row: Item?
    ) throws(AuthError) -> ClientDocumentRecord? {
        guard let row, row.expiresAt.map({ clock.now() < $0 }) ?? true else { return nil }
        let record = try decoded(ClientDocumentRecord(row))
        return record.url.isSame(as: url) ? record : nil
    }

    /// nil if the document is not valid.
    private func client(of record: ClientDocumentRecord) throws(AuthError) -> Client? {
        let algorithms = try oauth.idTokenAlgorithms
        guard let object = (try? JSON.parse(record.document, limits: .request))?.objectValue else {
            return nil
        }
        let keys = record.keys.flatMap { bytes in
            (try? JSON.parse(bytes, limits: .request)).flatMap { try? KeySet(jwks: $0) }
        }
        return try? ClientMetadata(object).described(
            at: record.url, keys: keys, signingIDTokensWith: algorithms)
    }
}

extension AuthOperation {
    /// Limits how often clients' documents are fetched for pages.
    package static let fetchClientDocument = AuthOperation(
        "fetchClientDocument", servedBy: "ui", counting: [.address, .overall])
    /// Limits how often clients' documents are fetched for token requests.
    package static let fetchClientKeys = AuthOperation(
        "fetchClientKeys", servedBy: "token", counting: [.client, .overall])
}
