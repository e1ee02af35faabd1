internal import AWSSignature
internal import Bytes
package import Cryptography
package import EmulatorAWS
package import HTTP
internal import JSON
package import Time

/// The Simple Email Service: the operations for sending of API version 2, and `SendEmail` and
/// `SendRawEmail` of version 1. Nothing leaves the machine: all messages go to the mailbox.
package struct SESService: Sendable {
    /// A message of 40 MB, in base64.
    package static let bodyBytesMax = 60 << 20
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

    package func answer(_ call: SESCall) -> HTTPResponse {
        let requestID = RandomUUID.text(random.bytes(16))
        guard !call.isQuery else { return answerQuery(call, requestID: requestID) }
        do throws(SESFailure) {
            let exchange = try exchange(call, at: clock.now())
            return SESResponse.response(200, try perform(exchange), requestID: requestID)
        } catch {
            return error.response(requestID: requestID)
        }
    }

    func authenticate(_ call: SESCall, at now: Instant) throws(SESFailure) -> AuthenticatedCall {
        guard call.http.body.count <= Self.bodyBytesMax else {
            throw SESFailure(413, "RequestEntityTooLargeException", "The request is too large")
        }
        do throws(CallRefusal) {
            return try authenticator.authenticate(
                call.http, in: call.isQuery ? .query : .rest, at: now)
        } catch {
            throw SESFailure(error)
        }
    }

    private func exchange(_ call: SESCall, at now: Instant) throws(SESFailure)
        -> SESOperationContext
    {
        let signed = try authenticate(call, at: now)
        let http = call.http
        guard let operation = call.operation else {
            throw SESFailure(
                404, "UnknownOperationException",
                "Unknown operation: \(http.method) \(http.path)")
        }
        return SESOperationContext(
            operation: operation, name: call.name, call: http, signed: signed, now: now,
            body: operation.hasBody ? try Self.body(http.body) : SESObject(JSONObject(), ""),
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
        case .sendEmail, .sendRawEmail: try sendEmail(exchange)
        case .account: try accountDetails(exchange)
        case .createIdentity: try createIdentity(exchange)
        case .listIdentities: try listIdentities(exchange)
        case .identity: try identity(exchange.name, exchange)
        case .deleteIdentity: try deleteIdentity(exchange.name, exchange)
        case .createTemplate: try createTemplate(exchange)
        case .listTemplates: try listTemplates(exchange)
        case .template: try template(exchange.name, exchange)
        case .updateTemplate: try updateTemplate(exchange.name, exchange)
        case .deleteTemplate: try deleteTemplate(exchange.name, exchange)
        case .renderTemplate: try renderTemplate(exchange.name, exchange)
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
    /// The identity or template in the path.
    var name = ""
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

enum SESIdentifiers {
    /// A message ID in SES's format: the time in hexadecimal, a UUID, six zeros.
    static func messageID(at now: Instant, _ random: RandomSource) -> String {
        let time = String(UInt64(clamping: now.milliseconds), radix: 16)
        let padded = String(repeating: "0", count: max(0, 12 - time.utf8.count)) + time
        return "0100\(padded)-\(RandomUUID.text(random.bytes(16)))-000000"
    }
}
