package import AWSSignature

/// Provides credentials each time a request is signed.
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
    /// A source has a wrong configuration, or the service does not know the key.
    case invalid
    case expired
    /// The source did not respond.
    case unavailable
}
