package import Bytes
package import Time

/// A key pair of AWS; temporary ones also carry a session token and an end.
package struct AWSCredentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: SecretBytes
    package let sessionToken: SecretBytes?
    /// nil when they last as long as their source does.
    package let expiresAt: Instant?

    package init(
        accessKeyID: String, secretAccessKey: SecretBytes, sessionToken: SecretBytes? = nil,
        expiresAt: Instant? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiresAt = expiresAt
    }
}

extension AWSCredentials: Equatable {
    package static func == (left: AWSCredentials, right: AWSCredentials) -> Bool {
        left.accessKeyID.isSame(as: right.accessKeyID)
            && left.secretAccessKey == right.secretAccessKey
            && left.sessionToken == right.sessionToken && left.expiresAt == right.expiresAt
    }
}
