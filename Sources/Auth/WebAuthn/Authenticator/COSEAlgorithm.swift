/// A signature algorithm of the IANA registry "COSE Algorithms" that a credential may use.
///
/// The values that RFC 9864 adds are not supported: WebAuthn section 5.4 recommends against second
/// names of the same algorithms, such as -9 (ESP256), and clients do not have -53 (Ed448).
package enum COSEAlgorithm: Int64, Sendable, CaseIterable {
    /// Ed25519; WebAuthn section 5.8.5 allows no other curve here.
    case edDSA = -8
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// ECDSA on P-384 with SHA-384.
    case es384 = -35
    /// ECDSA on P-521 with SHA-512.
    case es512 = -36
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = -257

    /// The algorithms in order of preference. These three reach every authenticator in use
    /// (WebAuthn section 5.4).
    package static let offeredByDefault: [COSEAlgorithm] = [.edDSA, .es256, .rs256]
}
