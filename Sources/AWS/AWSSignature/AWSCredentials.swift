package import Bytes
package import Time

/// An AWS key pair; temporary ones have a session token and an expiry.
package struct AWSCredentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: SecretBytes
    package let sessionToken: SecretBytes?
    /// nil if the credentials do not expire.
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
