package import AWSSignature

/// Where a client gets its credentials, each time it signs.
package struct CredentialsProvider: Sendable {
    package let credentials: @Sendable () throws(CredentialsFailure) -> AWSCredentials

    package init(
        credentials: @escaping @Sendable () throws(CredentialsFailure) -> AWSCredentials
    ) {
        self.credentials = credentials
    }

    package static func fixed(_ credentials: AWSCredentials) -> CredentialsProvider {
        CredentialsProvider { () throws(CredentialsFailure) in credentials }
    }
}

package enum CredentialsFailure: Error, Sendable, Equatable {
    /// No source is configured.
    case missing
    /// A source is configured, but not rightly; or the service does not know the key.
    case invalid
    case expired
    /// The source did not answer.
    case unavailable
}
