internal import AWSSignature
internal import Bytes
internal import HTTP
internal import JSON
internal import Time

/// The container credentials endpoint (ECS, EKS Pod Identity).
struct ContainerEndpoint {
    private static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 2000, responseBytesMax: 64 << 10)

    private let request: HTTPRequest

    /// nil if the environment does not set the endpoint.
    init?(
        variable: (_ name: String) -> String?, readFile: (_ path: String) -> [UInt8]?
    ) throws(CredentialsFailure) {
        let url: String
        if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            guard path.hasPrefix("/") else { throw .invalid }
            url = "http://169.254.170.2" + path
        } else if let full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
            // Plain HTTP is only allowed to this machine, because both the token and the response
            // are secret.
            guard full.hasPrefix("https://") || Self.isHostLocal(full) else { throw .invalid }
            url = full
        } else {
            return nil
        }
        let token = try Self.authorization(variable: variable, readFile: readFile)
        var headers = [HTTPHeader("Accept", "application/json")]
        if let token { headers.append(HTTPHeader("Authorization", token)) }
        request = HTTPRequest(.get, url, headers: headers, limits: Self.limits)
    }

    func credentials(
        _ ports: AWSPorts, _ settings: AWSSettings
    ) throws(CredentialsFailure) -> AWSCredentials {
        let service = AWSService(name: .sts, settings: settings, ports: ports)
        do {
            return try service.perform(
                request, credentials: nil, repeating: .always, read: Self.read)
        } catch {
            switch error {
            case .refused(let refusal): throw refusal.retry == .hopeless ? .invalid : .unavailable
            case .credentials(let failure): throw failure
            case .unreachable(.invalidURL, _), .malformedResponse: throw .invalid
            case .unreachable: throw .unavailable
            }
        }
    }

    private static func read(_ response: HTTPResponse) -> AWSService.Reading<AWSCredentials> {
        guard response.status == 200 else {
            let refusal = AWSRefusal(status: response.status, code: "")
            return .failed(.refused(refusal), refusal.retry)
        }
        guard let body = try? JSON.parse(response.body, limits: .request),
            let id = body["AccessKeyId"]?.stringValue, !id.isEmpty,
            let secret = body["SecretAccessKey"]?.stringValue, !secret.isEmpty,
            let expiresAt = body["Expiration"]?.stringValue.flatMap({ Instant(iso8601: $0) })
        else { return .failed(.malformedResponse, .hopeless) }
        return .done(
            AWSCredentials(
                accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret),
                sessionToken: (body["Token"]?.stringValue).map { SecretBytes(utf8: $0) },
                expiresAt: expiresAt))
    }

    private static func authorization(
        variable: (String) -> String?, readFile: (String) -> [UInt8]?
    ) throws(CredentialsFailure) -> String? {
        let token: [UInt8]
        if let path = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            guard let bytes = readFile(path).flatMap(CredentialChain.trimmed) else {
                throw .invalid
            }
            token = bytes
        } else if let text = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
            token = Array(text.utf8)
        } else {
            return nil
        }
        guard token.count <= 16 << 10, token.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw .invalid
        }
        return String(decoding: token, as: UTF8.self)
    }

    /// Loopback, and the fixed addresses of ECS and EKS.
    private static func isHostLocal(_ url: String) -> Bool {
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let hosts = ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
        return hosts.contains(String(host))
            || host.hasPrefix("127.") && host.utf8.allSatisfy(isAddressByte)
    }

    // `127.0.0.1.example.com` is a host name, not an address.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte.isDigit
    }
}
