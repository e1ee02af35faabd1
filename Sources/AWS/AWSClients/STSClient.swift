package import AWSSignature
package import Bytes
internal import HTTP
package import Time
internal import XML

/// The role to assume and the restrictions of its session.
package struct RoleRequest: Sendable {
    package var roleARN: String
    package var sessionName: String
    package var durationSeconds: Int64?
    /// A session policy in JSON. The session has only the permissions that both this policy and the
    /// role's own policy give.
    package var policy: String?

    package init(
        roleARN: String, sessionName: String, durationSeconds: Int64? = nil,
        policy: String? = nil
    ) {
        self.roleARN = roleARN
        self.sessionName = sessionName
        self.durationSeconds = durationSeconds
        self.policy = policy
    }
}

/// Temporary credentials from STS, with their expiry.
package struct RoleCredentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: SecretBytes
    package let sessionToken: SecretBytes
    package let expiresAt: Instant
    /// The used percentage of the limit for policy and tags.
    package let packedPolicyPercent: Int?

    package var credentials: AWSCredentials {
        AWSCredentials(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey,
            sessionToken: sessionToken, expiresAt: expiresAt)
    }
}

/// A client of STS's query protocol, version 2011-06-15.
package struct STSClient: Sendable {
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000,
        responseBytesMax: XMLLimits.response.bytesMax)

    private let service: AWSService
    private let credentials: CredentialsProvider

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = AWSService(name: .sts, settings: settings, ports: ports)
        self.credentials = credentials
    }

    /// AssumeRole, signed with our own credentials.
    package func assumeRole(
        _ role: RoleRequest, tags: [(key: String, value: String)] = [],
        transitiveTagKeys: [String] = [], externalID: String? = nil,
        sourceIdentity: String? = nil
    ) throws(STSFailure) -> RoleCredentials {
        var parameters: [(String, String)] = []
        for (index, tag) in tags.enumerated() {
            parameters.append(("Tags.member.\(index + 1).Key", tag.key))
            parameters.append(("Tags.member.\(index + 1).Value", tag.value))
        }
        for (index, key) in transitiveTagKeys.enumerated() {
            parameters.append(("TransitiveTagKeys.member.\(index + 1)", key))
        }
        if let externalID { parameters.append(("ExternalId", externalID)) }
        if let sourceIdentity { parameters.append(("SourceIdentity", sourceIdentity)) }
        return try call("AssumeRole", role, parameters, credentials: credentials)
    }

    /// AssumeRoleWithWebIdentity, which is not signed.
    package func assumeRoleWithWebIdentity(
        _ role: RoleRequest, token: SecretBytes
    ) throws(STSFailure) -> RoleCredentials {
        let text = String(decoding: token.reveal(), as: UTF8.self)
        return try call(
            "AssumeRoleWithWebIdentity", role, [("WebIdentityToken", text)], credentials: nil)
    }

    private func call(
        _ action: String, _ role: RoleRequest, _ parameters: [(String, String)],
        credentials: CredentialsProvider?
    ) throws(STSFailure) -> RoleCredentials {
        var form = [
            ("Action", action), ("Version", "2011-06-15"), ("RoleArn", role.roleARN),
            ("RoleSessionName", role.sessionName),
        ]
        if let seconds = role.durationSeconds { form.append(("DurationSeconds", String(seconds))) }
        if let policy = role.policy { form.append(("Policy", policy)) }
        let request = HTTPRequest(
            .post, service.settings.endpoint(of: .sts) + "/",
            headers: [
                HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
            ],
            body: Array(PercentEncoding.form(form + parameters).utf8), limits: Self.limits)
        do {
            return try service.perform(
                request, credentials: credentials, repeating: .always
            ) { Self.read($0, action: action) }
        } catch {
            throw STSFailure(error)
        }
    }

    private static func read(
        _ response: HTTPResponse, action: String
    ) -> AWSService.Reading<RoleCredentials> {
        let document = try? XMLElement.parse(response.body)
        guard response.status == 200 else {
            let error = document?["Error"]
            let refusal = AWSRefusal(
                status: response.status, code: error?["Code"]?.text ?? "",
                message: error?["Message"]?.text ?? "")
            // STS could not reach the identity provider and asks for a retry.
            let isPassing = refusal.code == "IDPCommunicationError"
            return .failed(.refused(refusal), isPassing ? .harmless : refusal.retry)
        }
        guard let document, document.name == "\(action)Response",
            let result = document["\(action)Result"], let keys = result["Credentials"],
            let id = keys["AccessKeyId"]?.text, !id.isEmpty,
            let secret = keys["SecretAccessKey"]?.text, !secret.isEmpty,
            let token = keys["SessionToken"]?.text, !token.isEmpty,
            let expiresAt = keys["Expiration"].flatMap({ Instant(iso8601: $0.text) })
        else { return .failed(.malformedResponse, .doubtful) }
        return .done(
            RoleCredentials(
                accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret),
                sessionToken: SecretBytes(utf8: token), expiresAt: expiresAt,
                packedPolicyPercent: result["PackedPolicySize"].flatMap { Int($0.text) }))
    }
}
