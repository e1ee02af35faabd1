import AWSSignature
import Bytes

/// Invalid credentials.
enum SESHarness {
    static let unknown = AWSCredentials(
        accessKeyID: "AKIASTRANGER00000000", secretAccessKey: SecretBytes(utf8: "x"))

    static func wrong(_ credentials: AWSCredentials) -> AWSCredentials {
        AWSCredentials(
            accessKeyID: credentials.accessKeyID, secretAccessKey: SecretBytes(utf8: "wrong"))
    }
}
