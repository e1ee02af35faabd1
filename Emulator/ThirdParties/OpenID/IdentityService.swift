internal import Bytes
package import EmulatorBase
package import EmulatorDebugging
internal import HTTP
package import JOSE
internal import JSON
internal import SQLite
internal import Synchronization
internal import Time

/// Emulated Apple, Google and OpenID providers at `/_idp/<name>`.
///
/// Accounts, keys, clients, consents, codes and tokens survive a kill of the process; faults do
/// not.
package final class IdentityService: Sendable {
    package static let prefix = "/_idp"

    let providers: [Provider]
    private let base: BaseURL
    let store: RecordStore
    let ports: IdentityPorts

    /// Creates the service without keys, because generating them is slow: see `prepareKeys`.
    ///
    /// - Parameters:
    ///   - directory: nil for providers whose state ends with the process.
    ///   - faults: the fault list of all services.
    package init(
        _ configuration: IdentityConfiguration, baseURL: String, directory: String?,
        ports: IdentityPorts, faults: FaultList = FaultList()
    ) throws(IdentityServiceFailure) {
        let names = configuration.issuers.map(\.name)
        guard names.allSatisfy(IssuerDefinition.isName), Set(names).count == names.count else {
            throw .issuerNames
        }
        let store: RecordStore
        do throws(SQLiteError) {
            store = try RecordStore(directory: directory)
        } catch {
            throw .storage("sqlite: \(error.text) (code \(error.code))")
        }
        let base = BaseURL(baseURL)
        let unpublishedKeys = UnpublishedKeys(ports: ports)
        self.base = base
        self.store = store
        self.ports = ports
        let sharedKeys: IssuerKeyStore? =
            configuration.sharesKeys
            ? IssuerKeyStore(name: "", algorithm: .rs256, store: store, ports: ports) : nil
        providers = configuration.issuers.map {
            Provider(
                $0, store: store, ports: ports, unpublishedKeys: unpublishedKeys, base: base,
                sharedKeys: sharedKeys, faults: faults)
        }
    }

    /// Sets the base URL of the app side, once its port is known.
    package func setBaseURL(_ text: String) { base.text = text }

    /// Minted tokens are for clients that the functions accept.
    ///
    /// - Parameter accepted: the client IDs for the name of a provider.
    package func setAudiences(_ accepted: (String) -> [String]) {
        for provider in providers {
            let audiences = accepted(provider.name)
            provider.audiences.withLock { $0 = audiences }
        }
    }

    /// Makes the keys that the first sign-ins need in the background, unless a folder has them.
    package func prepareKeys() {
        guard ports.keys == nil else { return }
        var stores: [IssuerKeyStore] = []
        for provider in providers where !stores.contains(where: { $0 === provider.keys }) {
            stores.append(provider.keys)
        }
        ports.spareKeys.make(stores.reduce(0) { $0 + $1.missingRSA }, random: ports.random)
    }

    /// Call this when the stored keys may have changed, for example after an import.
    func forgetKeys() {
        for provider in providers { provider.keys.forget() }
    }

    /// The issuers' `iss`, by the names in their paths.
    package var issuers: [(name: String, issuer: String)] {
        providers.map { (name: $0.name, issuer: $0.issuer) }
    }

    /// An issuer's key set without a request; nil for unknown issuers, and while a fault affects
    /// the key set.
    package func keySet(issuer: String) -> KeySet? {
        providers.first { $0.issuer.isSame(as: issuer) }?.verificationKeys()
    }

    package func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        handle(request) { slot.respond($0) }
    }

    /// Responds exactly once, possibly later.
    package func handle(
        _ request: ServerRequest, _ respond: @escaping @Sendable (ServerResponse) -> Void
    ) {
        let outcome: OpenIDReply
        do throws(OAuthError) {
            outcome = try self.outcome(request)
        } catch {
            outcome = .now(error.response)
        }
        switch outcome {
        case .now(let response): respond(response)
        case .after(let delay, let response): ports.after(delay) { respond(response) }
        case .later(let start): start(respond)
        }
    }

    private func outcome(_ request: ServerRequest) throws(OAuthError) -> OpenIDReply {
        guard request.body.count <= OpenIDRequest.bodyBytesMax else {
            throw .own(413, "Request too large: at most \(OpenIDRequest.bodyBytesMax) bytes.")
        }
        guard let (name, below) = try names(request.path) else { return try index(request) }
        guard let provider = providers.first(where: { $0.name.isSame(as: name) }) else {
            throw .own(404, "Not found: no identity provider of that name.")
        }
        return try provider.outcome(request, path: below)
    }

    /// The name of a provider and the path below it; nil for the list of providers.
    private func names(_ path: Substring) throws(OAuthError) -> (String, below: String)? {
        guard let path = PercentEncoding.decode(path, plusIsSpace: false),
            path.utf8.starts(with: Self.prefix.utf8)
        else { throw Self.nothing }
        let rest = path.utf8.dropFirst(Self.prefix.utf8.count)
        let slash = UInt8(ascii: "/")
        guard rest.first == slash || rest.isEmpty else { throw Self.nothing }
        guard let first = rest.split(separator: slash, maxSplits: 1).first else { return nil }
        return (String(Substring(first)), String(Substring(rest.dropFirst(1 + first.count))))
    }

    /// Whether the endpoint at that path is for tests only, such as `mint` and `accounts`. Requests
    /// from browsers must be refused there. Browsers need only sign-in pages and keys.
    package func isControl(path: Substring) -> Bool {
        guard let (name, below) = try? names(path),
            let provider = providers.first(where: { $0.name.isSame(as: name) })
        else { return false }
        return provider.route(below)?.0.isControl ?? false
    }

    /// The endpoints that real providers have.
    package static var operations: [String] {
        OpenIDEndpoint.allCases.filter(\.isOfRealProviders).map { "\($0)" }
    }

    /// The provider and the endpoint of a request; nil for endpoints that real providers do not
    /// have.
    package func endpoint(path: String) -> (provider: String, operation: String)? {
        let parts = path.utf8.dropFirst(Self.prefix.utf8.count + 1)
            .split(separator: UInt8(ascii: "/"), maxSplits: 1).map { String(Substring($0)) }
        guard parts.count == 2,
            let provider = providers.first(where: { $0.name.isSame(as: parts[0]) }),
            let endpoint = OpenIDEndpoint.allCases.first(where: { endpoint in
                endpoint.path(provider.kind).map { ("/" + parts[1]).isSame(as: $0) } ?? false
            }), endpoint.isOfRealProviders
        else { return nil }
        return (provider.name, "\(endpoint)")
    }

    private static let nothing = OAuthError.own(404, "Not found.")

    private func index(_ request: ServerRequest) throws(OAuthError) -> OpenIDReply {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw .notAllowed(["GET", "HEAD"])
        }
        let list: [JSON] = providers.map { provider in
            var places: JSONObject = [:]
            for endpoint in OpenIDEndpoint.allCases where endpoint != .decision {
                places["\(endpoint)"] = provider.url(endpoint).map { .string($0) }
            }
            return [
                "name": .string(provider.name), "kind": .string(provider.kind.rawValue),
                "issuer": .string(provider.issuer), "endpoints": .object(places),
            ]
        }
        return .now(.json(["issuers": .array(list)]))
    }
}

/// Why the identity providers cannot start.
package enum IdentityServiceFailure: Error, Sendable, Equatable {
    /// A name that is not `[a-z][a-z0-9-]{0,31}`, or a duplicate.
    case issuerNames
    case storage(String)
}
