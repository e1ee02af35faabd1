internal import Bytes
package import EmulatorAWS

/// A request, parsed once: for the service, for faults and for traces.
package struct SESCall: Sendable {
    private static let prefix = "/v2/email/"

    let http: ServiceCall
    /// Whether the call is for API version 1, with its query protocol.
    package let isQuery: Bool
    /// The form of version 1; nil if it is malformed.
    let form: SESForm?
    /// nil for an operation that the service does not have.
    let operation: SESOperation?
    /// The identity or template in the path.
    let name: String

    /// Whether a request is for API version 2; `path` is percent-encoded.
    package static func serves(path: some StringProtocol) -> Bool { path.hasPrefix(prefix) }

    package init(_ http: ServiceCall) {
        self.http = http
        isQuery = !Self.serves(path: http.path)
        if isQuery {
            let text =
                http.method == "POST" ? String(validating: http.body, as: UTF8.self) : http.query
            let isLegal = http.body.count <= SESService.bodyBytesMax
            form = isLegal ? text.flatMap { SESForm($0) } : nil
            operation = form?["Action"].flatMap(SESOperation.init(rawValue:))
            name = ""
        } else {
            form = nil
            let pieces = http.path.dropFirst(Self.prefix.utf8.count).split(separator: "/")
            let path = pieces.compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
            operation =
                path.count == pieces.count ? SESOperation(method: http.method, path: path) : nil
            name = path.count > 1 ? path[1] : ""
        }
    }

    /// The operation's name; in version 1 as sent, even if it is unknown.
    package var action: String { form?["Action"] ?? operation?.rawValue ?? "" }

    package static let operations = SESOperation.allCases.map(\.rawValue)
}

/// The operations of version 2; version 1 has `SendEmail` and `SendRawEmail`.
enum SESOperation: String, CaseIterable {
    case sendEmail = "SendEmail"
    case account = "GetAccount"
    case createIdentity = "CreateEmailIdentity"
    case listIdentities = "ListEmailIdentities"
    case identity = "GetEmailIdentity"
    case deleteIdentity = "DeleteEmailIdentity"
    case createTemplate = "CreateEmailTemplate"
    case listTemplates = "ListEmailTemplates"
    case template = "GetEmailTemplate"
    case updateTemplate = "UpdateEmailTemplate"
    case deleteTemplate = "DeleteEmailTemplate"
    case renderTemplate = "TestRenderEmailTemplate"
    case sendRawEmail = "SendRawEmail"

    /// `path` is the decoded path below `/v2/email/`.
    init?(method: String, path: [String]) {
        switch (method, path.first, path.count) {
        case ("POST", "outbound-emails", 1): self = .sendEmail
        case ("GET", "account", 1): self = .account
        case ("POST", "identities", 1): self = .createIdentity
        // Different versions of botocore use one or the other.
        case ("GET", "identities", 1), ("POST", "list-identities", 1): self = .listIdentities
        case ("GET", "identities", 2): self = .identity
        case ("DELETE", "identities", 2): self = .deleteIdentity
        case ("POST", "templates", 1): self = .createTemplate
        case ("GET", "templates", 1): self = .listTemplates
        case ("GET", "templates", 2): self = .template
        case ("PUT", "templates", 2): self = .updateTemplate
        case ("DELETE", "templates", 2): self = .deleteTemplate
        case ("POST", "templates", 3) where path[2] == "render": self = .renderTemplate
        default: return nil
        }
    }

    var hasBody: Bool {
        switch self {
        case .sendEmail, .sendRawEmail, .createIdentity, .createTemplate, .updateTemplate,
            .renderTemplate:
            true
        case .account, .listIdentities, .identity, .deleteIdentity, .listTemplates, .template,
            .deleteTemplate:
            false
        }
    }
}
