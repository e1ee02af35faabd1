package import AuthOperations
package import AuthRecords
import Bytes

extension IdentityDigest {
    /// An identity of the fake Apple.
    package static func apple(_ subject: String = "001") -> IdentityDigest {
        IdentityDigest(issuer: "https://apple.example.com", subject: subject)
    }
}

extension ProviderGrant {
    package static func apple(
        _ token: String, of subject: String = "001", clientID: String = "com.example.app"
    ) -> ProviderGrant {
        ProviderGrant(
            provider: "apple", .apple(subject), clientID: clientID,
            token: SecretBytes(utf8: token))
    }
}
