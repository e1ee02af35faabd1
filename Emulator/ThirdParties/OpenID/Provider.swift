internal import Bytes
internal import Cryptography
internal import EmulatorDebugging
internal import Synchronization
internal import Time

/// An emulated identity provider. Each endpoint is an extension in a file of its own.
final class Provider: Sendable {
    let definition: IssuerDefinition
    let keys: IssuerKeyStore
    let faults: FaultSwitches
    let store: RecordStore
    let ports: IdentityPorts
    let unpublishedKeys: UnpublishedKeys
    let notifications = Notifications()
    private let base: BaseURL
    /// The client IDs that the functions accept, as far as they have any.
    let audiences = Mutex<[String]>([])

    init(
        _ definition: IssuerDefinition, store: RecordStore, ports: IdentityPorts,
        unpublishedKeys: UnpublishedKeys, base: BaseURL,
        sharedKeys: IssuerKeyStore? = nil, faults: FaultList
    ) {
        self.definition = definition
        self.faults = FaultSwitches(faults, provider: definition.name)
        self.store = store
        self.ports = ports
        self.unpublishedKeys = unpublishedKeys
        self.base = base
        keys =
            sharedKeys
            ?? IssuerKeyStore(
                name: definition.name, algorithm: definition.algorithm, store: store, ports: ports)
    }

    var name: String { definition.name }
    var kind: IssuerDefinition.Kind { definition.kind }
    var now: Instant { ports.clock.now() }

    /// The base URL of its endpoints.
    var url: String { base.text + IdentityService.prefix + "/" + name }

    /// The `iss` of its tokens.
    var issuer: String { definition.issuer ?? url }

    func url(_ endpoint: OpenIDEndpoint) -> String? {
        endpoint.path(kind).map { url + $0 }
    }

    /// A random ID that cannot be guessed.
    func secretName(_ prefix: String) -> String {
        prefix + Base64URL.encode(ports.random.bytes(32))
    }
}

/// `http://127.0.0.1:8000`, set once the port is known.
final class BaseURL: Sendable {
    private let value: Mutex<String>

    init(_ text: String) { value = Mutex(Self.withoutSlash(text)) }

    var text: String {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = Self.withoutSlash(newValue) } }
    }

    private static func withoutSlash(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    }
}
