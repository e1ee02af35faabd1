package import AWSSignature
internal import Bytes
internal import Synchronization
package import Time

/// Finds credentials as the AWS SDKs do, and renews those that expire.
///
/// In order: the environment (Lambda), a web identity token file (Kubernetes), the container
/// endpoint (ECS, EKS Pod Identity). The first source that is configured is used: an error in it is
/// not a reason to continue with the next one.
package final class CredentialChain: Sendable {
    /// Credentials are renewed this long before they expire.
    package static let renewalMargin = Span.minutes(5)

    private let settings: AWSSettings
    private let ports: AWSPorts
    private let variable: @Sendable (_ name: String) -> String?
    private let readFile: @Sendable (_ path: String) -> [UInt8]?
    private let cached = Mutex<AWSCredentials?>(nil)

    /// `readFile` returns the contents of a small file, nil if that is not possible.
    package init(
        _ settings: AWSSettings, _ ports: AWSPorts,
        variable: @escaping @Sendable (_ name: String) -> String?,
        readFile: @escaping @Sendable (_ path: String) -> [UInt8]?
    ) {
        self.settings = settings
        self.ports = ports
        self.variable = variable
        self.readFile = readFile
    }

    package var provider: CredentialsProvider {
        CredentialsProvider { () throws(CredentialsFailure) in try self.credentials() }
    }

    package func credentials() throws(CredentialsFailure) -> AWSCredentials {
        if let fixed = try environmentCredentials() { return fixed }
        let now = ports.clock.now()
        let kept = cached.withLock { $0 }
        if let kept, let end = kept.expiresAt, now < end - Self.renewalMargin { return kept }
        do {
            let fresh = try fetch()
            cached.withLock { $0 = fresh }
            return fresh
        } catch {
            // If the renewal fails, use the current credentials until they expire.
            guard error == .unavailable, let kept, let end = kept.expiresAt, now < end else {
                throw error
            }
            return kept
        }
    }

    private func fetch() throws(CredentialsFailure) -> AWSCredentials {
        if let tokenFile = setting("AWS_WEB_IDENTITY_TOKEN_FILE") {
            return try webIdentityCredentials(tokenFile: tokenFile)
        }
        guard let endpoint = try ContainerEndpoint(variable: setting, readFile: readFile) else {
            throw .missing
        }
        return try endpoint.credentials(ports, settings)
    }

    private func environmentCredentials() throws(CredentialsFailure) -> AWSCredentials? {
        let id = setting("AWS_ACCESS_KEY_ID")
        let secret = setting("AWS_SECRET_ACCESS_KEY")
        guard id != nil || secret != nil else { return nil }
        guard let id, let secret else { throw .invalid }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret),
            sessionToken: setting("AWS_SESSION_TOKEN").map { SecretBytes(utf8: $0) })
    }

    /// The permitted length of the token of AssumeRoleWithWebIdentity (AWS STS API Reference).
    private static let webIdentityTokenBytes = 4...20_000

    private func webIdentityCredentials(
        tokenFile: String
    ) throws(CredentialsFailure) -> AWSCredentials {
        guard let roleARN = setting("AWS_ROLE_ARN") else { throw .invalid }
        // The file is read each time, because the platform replaces it before the token expires.
        guard let token = readFile(tokenFile).flatMap(Self.trimmed),
            Self.webIdentityTokenBytes.contains(token.count)
        else { throw .invalid }
        let sts = STSClient(
            settings, ports,
            credentials: CredentialsProvider { () throws(CredentialsFailure) in throw .missing })
        let session = setting("AWS_ROLE_SESSION_NAME")
        let role = RoleRequest(
            roleARN: roleARN,
            sessionName: session ?? "latchkey-\(ports.clock.now().milliseconds)")
        do {
            return try sts.assumeRoleWithWebIdentity(role, token: SecretBytes(token)).credentials
        } catch {
            switch error {
            case .throttled, .unavailable, .identityProviderUnreachable: throw .unavailable
            case .expiredToken: throw .expired
            case .accessDenied, .invalidIdentityToken, .malformedPolicy, .packedPolicyTooLarge,
                .regionDisabled, .validation, .identityProviderRejected, .credentials:
                throw .invalid
            }
        }
    }

    private func setting(_ name: String) -> String? {
        variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Removes white space at the end, such as an editor's newline.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return bytes.isEmpty ? nil : bytes
    }
}
