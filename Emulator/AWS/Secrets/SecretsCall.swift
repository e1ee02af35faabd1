internal import Bytes
internal import JSON

/// A request to Secrets Manager or Parameter Store, parsed once: for the service, for faults and
/// for traces.
package struct SecretsCall: Sendable {
    static let manager = "secretsmanager"
    private static let store = "AmazonSSM"
    private static let bodyBytesMax = 256 << 10
    private static let limits = JSONLimits(bytesMax: bodyBytesMax, depthMax: 8)

    let target: String
    /// The service's name in signatures.
    package let service: String
    /// The operation as it was sent. It may be unknown.
    package let action: String
    let operation: SecretsOperation?
    /// The body; nil if it is not JSON or too long.
    let body: JSON?

    /// nil if the target is another service's.
    package init?(target: String, body: [UInt8]) {
        let isOfManager = target.utf8.starts(with: "\(Self.manager).".utf8)
        guard isOfManager || target.utf8.starts(with: "\(Self.store).".utf8) else { return nil }
        self.target = target
        service = isOfManager ? Self.manager : "ssm"
        action = String(
            Substring(
                target.utf8.dropFirst((isOfManager ? Self.manager : Self.store).utf8.count + 1)))
        let operation = SecretsOperation(rawValue: action)
        self.operation = operation?.isOfManager == isOfManager ? operation : nil
        self.body = try? JSON.parse(body, limits: Self.limits)
    }

    package static let operations = SecretsOperation.allCases.map(\.rawValue)
}

enum SecretsOperation: String, CaseIterable {
    case createSecret = "CreateSecret"
    case describeSecret = "DescribeSecret"
    case getParameter = "GetParameter"
    case getParameters = "GetParameters"
    case getParametersByPath = "GetParametersByPath"
    case getSecretValue = "GetSecretValue"
    case listSecrets = "ListSecrets"
    case putSecretValue = "PutSecretValue"

    /// Whether the operation belongs to Secrets Manager, not to Parameter Store.
    var isOfManager: Bool {
        switch self {
        case .createSecret, .describeSecret, .getSecretValue, .listSecrets, .putSecretValue: true
        case .getParameter, .getParameters, .getParametersByPath: false
        }
    }
}
