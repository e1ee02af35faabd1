internal import AWSSignature
internal import Bytes
package import Cryptography
package import HTTP
internal import JOSE
package import Time

/// The Security Token Service with its query protocol, version 2011-06-15.
package struct STSService: Sendable {
    package static let bodyBytesMax = 256 << 10
    static let version = "2011-06-15"
    private static let skewMax = Span.minutes(5)

    let authority: CredentialAuthority
    let keys: IssuerKeys
    private let authenticator: RequestAuthenticator
    private let clock: WallClock
    private let random: RandomSource

    package init(
        _ authority: CredentialAuthority, keys: IssuerKeys, clock: WallClock, random: RandomSource
    ) {
        self.authority = authority
        self.keys = keys
        self.clock = clock
        self.random = random
        authenticator = RequestAuthenticator(authority, service: "sts", skewMax: Self.skewMax)
    }

    package func answer(_ call: STSCall) -> HTTPResponse {
        let requestID = RandomUUID.text(random.bytes(16))
        do throws(STSError) {
            return try perform(call, at: clock.now()).response(requestID: requestID)
        } catch {
            return error.response(requestID: requestID)
        }
    }

    private func perform(_ call: STSCall, at now: Instant) throws(STSError) -> STSAnswer {
        guard call.http.body.count <= Self.bodyBytesMax else {
            throw STSError(413, "RequestEntityTooLarge", "Request size exceeds the limit")
        }
        guard ["POST", "GET"].contains(call.http.method) else {
            throw STSError(405, "MethodNotAllowed", "The method is not allowed")
        }
        guard let parameters = call.parameters else {
            throw STSError(
                400, "MalformedQueryString", "The query string contains a syntax error")
        }
        guard let action = parameters["Action"] else {
            throw STSError(
                400, "MissingAction", "The request must contain the parameter Action")
        }
        let version = parameters["Version"] ?? "NO_VERSION_SPECIFIED"
        guard version == Self.version, let operation = call.operation else {
            throw STSError(
                400, "InvalidAction", "Could not find operation \(action) for version \(version)")
        }
        return try perform(operation, parameters, STSRequest(call: call.http, now: now))
    }

    private func perform(
        _ operation: STSOperation, _ parameters: STSParameters, _ exchange: STSRequest
    ) throws(STSError) -> STSAnswer {
        switch operation {
        case .assumeRoleWithWebIdentity:
            return try assumeRoleWithWebIdentity(parameters, exchange)
        case .assumeRole: return try assumeRole(parameters, exchange, by: caller(of: exchange))
        case .getCallerIdentity: return callerIdentity(try caller(of: exchange))
        case .getSessionToken:
            return try sessionToken(parameters, exchange, for: caller(of: exchange))
        case .getAccessKeyInfo:
            _ = try caller(of: exchange)
            return try accessKeyInfo(parameters)
        case .assumeRoleWithSAML, .assumeRoot, .decodeAuthorizationMessage, .getFederationToken,
            .getDelegatedAccessToken, .getWebIdentityToken:
            throw STSError(
                501, "NotImplemented", "The emulator does not implement \(operation.rawValue)")
        }
    }

    private func caller(of exchange: STSRequest) throws(STSError) -> AuthenticatedCall {
        do throws(CallRefusal) {
            return try authenticator.authenticate(exchange.call, in: .query, at: exchange.now)
        } catch {
            throw STSError(error)
        }
    }

    func issue(_ session: IAMSession) throws(STSError) -> AWSCredentials {
        do throws(CryptoFailure) {
            return try authority.issue(session)
        } catch {
            throw STSError(500, "InternalFailure", "The credentials could not be made")
        }
    }
}

/// A request with the current time.
struct STSRequest {
    let call: ServiceCall
    let now: Instant
}
