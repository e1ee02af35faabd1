internal import Bytes
package import Cryptography
package import HTTP
internal import JSON
internal import Synchronization
package import Time

/// The operations of Secrets Manager and Parameter Store that functions use to load their keys in
/// production. Secrets come from the template, or are created and changed by clients.
package final class SecretsService: Sendable {
    private let state: Mutex<SecretState>
    private let clock: WallClock
    private let random: RandomSource
    /// The prefix of a secret's ARN, before its name.
    private let arnPrefix: String
    /// The prefix of a parameter's ARN, before the slash and its name.
    let parameterPrefix: String
    let startedAt: Instant
    private let save: @Sendable ([UInt8]) throws(SecretsFailure) -> Void

    /// `saved` is the value that `save` last received, so that generated secrets are kept.
    package init(
        saved: [UInt8] = [], region: String, account: String, clock: WallClock,
        random: RandomSource,
        save: @escaping @Sendable ([UInt8]) throws(SecretsFailure) -> Void
    ) throws(SecretsFailure) {
        state = Mutex(try SecretState(saved: saved))
        arnPrefix = "arn:aws:secretsmanager:\(region):\(account):secret:"
        parameterPrefix = "arn:aws:ssm:\(region):\(account):parameter"
        startedAt = clock.now()
        self.clock = clock
        self.random = random
        self.save = save
    }

    /// Adds the secrets and parameters that the template declares. A generated value is generated
    /// once and then kept.
    package func declare(
        secrets: [DeclaredSecret], parameters: [DeclaredParameter]
    ) throws(SecretsFailure) {
        let now = clock.now()
        try change { state in
            state.parameters = parameters
            let new = secrets.filter { state.secret($0.name) == nil }
            for secret in new {
                state.put(
                    StoredSecret(
                        name: secret.name, arn: secret.arn,
                        text: secret.value.text(random), createdAt: now))
            }
            return !new.isEmpty
        }
    }

    package var all: [StoredSecret] { state.withLock { $0.secrets } }

    var declaredParameters: [DeclaredParameter] { state.withLock { $0.parameters } }

    /// Stores a secret, replacing one with the same name.
    package func put(_ secret: StoredSecret) throws(SecretsFailure) {
        try change { state in
            state.put(secret)
            return true
        }
    }

    package func removeAll() throws(SecretsFailure) {
        try change { state in
            state.removeAll()
            return true
        }
    }

    /// A change becomes visible only once it is saved. `body` returns whether there is a change.
    private func change(_ body: (inout SecretState) -> Bool) throws(SecretsFailure) {
        try state.withLock { state throws(SecretsFailure) in
            var next = state
            if body(&next) { try save(next.saved) }
            state = next
        }
    }

    /// The IAM action and the resources that a request needs.
    package func access(of call: SecretsCall) -> (action: String, resources: [String]) {
        let action = "\(call.service):\(call.action)"
        guard call.service == SecretsCall.manager else {
            return (action, parameterARNs(of: call.body))
        }
        let id = call.body?["SecretId"]?.stringValue ?? ""
        return (action, [state.withLock { $0.secret(id)?.arn } ?? id])
    }

    package func answer(_ call: SecretsCall) -> HTTPResponse {
        guard let request = call.body else {
            return refusal("SerializationException", "The request is not valid JSON.")
        }
        return switch call.operation {
        case .getSecretValue: secretValue(request)
        case .describeSecret: secretDescription(request)
        case .listSecrets: secretList()
        case .createSecret: createSecret(request)
        case .putSecretValue: putSecretValue(request)
        case .getParameter: parameter(request)
        case .getParameters: parameters(request)
        case .getParametersByPath: parametersByPath(request)
        case nil:
            refusal(
                "UnknownOperationException",
                "The emulator has no \(call.target); it has "
                    + "\(SecretsCall.operations.joined(separator: ", ")).")
        }
    }
}

extension SecretsService {
    private func secretValue(_ request: JSON) -> HTTPResponse {
        guard let secret = find(request) else { return notFound }
        return reply([
            "ARN": .string(secret.arn), "Name": .string(secret.name),
            "VersionId": .string(secret.version), "SecretString": .string(secret.text),
            "VersionStages": ["AWSCURRENT"], "CreatedDate": .number(secret.createdAt.seconds),
        ])
    }

    private func secretDescription(_ request: JSON) -> HTTPResponse {
        guard let secret = find(request) else { return notFound }
        return reply(Self.description(of: secret))
    }

    private func secretList() -> HTTPResponse {
        reply(["SecretList": .array(all.map(Self.description))])
    }

    private static func description(of secret: StoredSecret) -> JSON {
        [
            "ARN": .string(secret.arn), "Name": .string(secret.name),
            "CreatedDate": .number(secret.createdAt.seconds),
            "VersionIdsToStages": .object(
                JSONObject([(secret.version, .array(["AWSCURRENT"]))])),
        ]
    }

    private func createSecret(_ request: JSON) -> HTTPResponse {
        guard let name = request["Name"]?.stringValue, !name.isEmpty,
            let text = request["SecretString"]?.stringValue
        else { return refusal("InvalidParameterException", "Name and SecretString are required.") }
        guard state.withLock({ $0.secret(name) }) == nil else {
            return refusal(
                "ResourceExistsException",
                "The operation failed because the secret \(name) already exists.")
        }
        let suffix = Hex.encode(random.bytes(3))
        let secret = StoredSecret(
            name: name, arn: "\(arnPrefix)\(name)-\(suffix)", text: text, createdAt: clock.now())
        return store(secret)
    }

    private func putSecretValue(_ request: JSON) -> HTTPResponse {
        guard let old = find(request) else { return notFound }
        guard let text = request["SecretString"]?.stringValue else {
            return refusal("InvalidParameterException", "SecretString is required.")
        }
        let secret = StoredSecret(name: old.name, arn: old.arn, text: text, createdAt: clock.now())
        return store(secret)
    }

    private func store(_ secret: StoredSecret) -> HTTPResponse {
        do throws(SecretsFailure) {
            try put(secret)
            return reply(named(secret))
        } catch {
            return refusal("InternalServiceError", "\(error)", status: 500)
        }
    }

    private func named(_ secret: StoredSecret) -> JSON {
        [
            "ARN": .string(secret.arn), "Name": .string(secret.name),
            "VersionId": .string(secret.version),
        ]
    }

    private func find(_ request: JSON) -> StoredSecret? {
        guard let id = request["SecretId"]?.stringValue else { return nil }
        return state.withLock { $0.secret(id) }
    }

    private var notFound: HTTPResponse {
        refusal("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
    }

    func refusal(
        _ type: String, _ message: String?, status: Int = 400
    ) -> HTTPResponse {
        var body: JSONObject = ["__type": .string(type)]
        if let message { body["message"] = .string(message) }
        return reply(.object(body), status: status)
    }

    func reply(_ body: JSON, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader("Content-Type", "application/x-amz-json-1.1")],
            body: body.serialized)
    }
}
