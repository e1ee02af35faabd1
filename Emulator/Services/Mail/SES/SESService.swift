internal import AWSSignature
internal import Bytes
package import Cryptography
package import EmulatorIAM
package import HTTP
internal import JSON
package import Time

/// The Simple Email Service: the operations for sending of API version 2, and `SendEmail` and
/// `SendRawEmail` of version 1. Nothing leaves the machine: all messages go to the mailbox.
package struct SESService: Sendable {
    /// A message of 40 MB, in base64.
    package static let bodyBytesMax = 60 << 20
    static let prefix = "/v2/email/"
    private static let skewMax = Span.minutes(5)

    /// Account settings that the API does not determine.
    package struct Options: Sendable, Equatable {
        /// Whether only created identities may send. If false, any sender may.
        package var requiresVerifiedSenders: Bool

        package init(requiresVerifiedSenders: Bool = false) {
            self.requiresVerifiedSenders = requiresVerifiedSenders
        }
    }

    let mailbox: Mailbox
    let options: Options
    let account: String
    let random: RandomSource
    let clock: WallClock
    private let authenticator: RequestAuthenticator

    package init(
        _ mailbox: Mailbox, _ authority: CredentialAuthority, options: Options = Options(),
        clock: WallClock, random: RandomSource
    ) {
        self.mailbox = mailbox
        self.options = options
        self.clock = clock
        self.random = random
        account = authority.directory.account
        authenticator = RequestAuthenticator(authority, service: "ses", skewMax: Self.skewMax)
    }

    /// Whether a request is for API version 2; `path` is percent-encoded.
    package static func serves(path: some StringProtocol) -> Bool { path.hasPrefix(prefix) }

    package func answer(_ call: ServiceCall) -> HTTPResponse {
        let requestID = RandomUUID.text(random.bytes(16))
        guard Self.serves(path: call.path) else { return answerQuery(call, requestID: requestID) }
        do throws(SESFailure) {
            let exchange = try exchange(call, at: clock.now())
            return SESResponse.response(200, try perform(exchange), requestID: requestID)
        } catch {
            return error.response(requestID: requestID)
        }
    }

    func authenticate(
        _ call: ServiceCall, at now: Instant
    ) throws(SESFailure) -> AuthenticatedCall {
        guard call.body.count <= Self.bodyBytesMax else {
            throw SESFailure(413, "RequestEntityTooLargeException", "The request is too large")
        }
        do throws(AuthenticationFailure) {
            return try authenticator.authenticate(
                call.signable, payloadHash: Hex.encode(SHA256.hash(call.body)), at: now)
        } catch {
            throw SESFailure(error, at: now, skewMax: Self.skewMax)
        }
    }

    private func exchange(_ call: ServiceCall, at now: Instant) throws(SESFailure)
        -> SESOperationContext
    {
        let signed = try authenticate(call, at: now)
        guard let operation = SESOperation(method: call.method, path: call.path) else {
            throw SESFailure(
                404, "UnknownOperationException",
                "Unknown operation: \(call.method) \(call.path)")
        }
        return SESOperationContext(
            operation: operation, call: call, signed: signed, now: now,
            body: operation.hasBody ? try Self.body(call.body) : SESObject(JSONObject(), ""),
            apiVersion: "2")
    }

    private static func body(_ bytes: [UInt8]) throws(SESFailure) -> SESObject {
        do throws(JSONFailure) {
            let json = try JSON.parse(
                bytes, limits: JSONLimits(bytesMax: bodyBytesMax, depthMax: 32))
            guard let object = json.objectValue else { throw .syntax(offset: 0) }
            return SESObject(object, "")
        } catch {
            throw SESFailure(400, "SerializationException", "The body is not a JSON object")
        }
    }

    private func perform(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        switch exchange.operation {
        case .sendEmail: try sendEmail(exchange)
        case .account: try accountDetails(exchange)
        case .createIdentity: try createIdentity(exchange)
        case .listIdentities: try listIdentities(exchange)
        case .identity(let name): try identity(name, exchange)
        case .deleteIdentity(let name): try deleteIdentity(name, exchange)
        case .createTemplate: try createTemplate(exchange)
        case .listTemplates: try listTemplates(exchange)
        case .template(let name): try template(name, exchange)
        case .updateTemplate(let name): try updateTemplate(name, exchange)
        case .deleteTemplate(let name): try deleteTemplate(name, exchange)
        case .renderTemplate(let name): try renderTemplate(name, exchange)
        }
    }

    func kept<Result>(
        _ body: () throws(MailboxFailure) -> Result
    ) throws(SESFailure) -> Result {
        do throws(MailboxFailure) {
            return try body()
        } catch {
            throw .internalFailure
        }
    }
}

/// One request in progress.
struct SESOperationContext {
    let operation: SESOperation
    let call: ServiceCall
    let signed: AuthenticatedCall
    let now: Instant
    let body: SESObject
    /// `1` or `2`, for conditions on `ses:ApiVersion`.
    let apiVersion: String

    var region: String { signed.signature.scope.region }

    /// Evaluates the caller's policies.
    func decision(
        _ action: String, _ resource: String, _ describe: (inout PolicyContext) -> Void = { _ in }
    ) -> AccessDecision {
        var context = PolicyContext(call, at: now)
        signed.identity.describe(in: &context)
        context.set("ses:ApiVersion", apiVersion)
        describe(&context)
        return signed.identity.decision(on: action, resource, in: context)
    }

    func require(_ action: String, _ resource: String) throws(SESFailure) {
        guard decision(action, resource) == .allowed else {
            throw .notAuthorized(signed.identity, action, resource)
        }
    }
}

enum SESOperation: Equatable {
    case sendEmail, account
    case createIdentity, listIdentities
    case identity(String)
    case deleteIdentity(String)
    case createTemplate, listTemplates
    case template(String)
    case updateTemplate(String)
    case deleteTemplate(String)
    case renderTemplate(String)

    init?(method: String, path: String) {
        var pieces: [String] = []
        for piece in path.dropFirst(SESService.prefix.utf8.count).split(separator: "/") {
            guard let piece = PercentEncoding.decode(piece, plusIsSpace: false) else { return nil }
            pieces.append(piece)
        }
        let name = pieces.count > 1 ? pieces[1] : ""
        switch (method, pieces.first, pieces.count) {
        case ("POST", "outbound-emails", 1): self = .sendEmail
        case ("GET", "account", 1): self = .account
        case ("POST", "identities", 1): self = .createIdentity
        // Different versions of botocore use one or the other.
        case ("GET", "identities", 1), ("POST", "list-identities", 1): self = .listIdentities
        case ("GET", "identities", 2): self = .identity(name)
        case ("DELETE", "identities", 2): self = .deleteIdentity(name)
        case ("POST", "templates", 1): self = .createTemplate
        case ("GET", "templates", 1): self = .listTemplates
        case ("GET", "templates", 2): self = .template(name)
        case ("PUT", "templates", 2): self = .updateTemplate(name)
        case ("DELETE", "templates", 2): self = .deleteTemplate(name)
        case ("POST", "templates", 3) where pieces[2] == "render": self = .renderTemplate(name)
        default: return nil
        }
    }

    var hasBody: Bool {
        switch self {
        case .sendEmail, .createIdentity, .createTemplate, .updateTemplate, .renderTemplate: true
        case .account, .listIdentities, .identity, .deleteIdentity, .listTemplates, .template,
            .deleteTemplate:
            false
        }
    }
}

enum SESIdentifiers {
    /// In SES's format: the time in hexadecimal, a UUID, six zeros.
    static func messageID(at now: Instant, _ random: RandomSource) -> String {
        let time = String(UInt64(clamping: now.milliseconds), radix: 16)
        let padded = String(repeating: "0", count: max(0, 12 - time.utf8.count)) + time
        return "0100\(padded)-\(RandomUUID.text(random.bytes(16)))-000000"
    }
}
