import Foundation

/// Generates key files.
enum KeyFile {
    static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        -----END PUBLIC KEY-----
        """

    /// A P-256 key in PKCS#8: a constant DER prefix and a private number.
    static func es256() throws -> String {
        var bytes: [UInt8] = [
            0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
            0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27,
            0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        bytes += [0x01] + (0..<31).map { _ in UInt8.random(in: 0...255) }
        let base64 = Data(bytes).base64EncodedString()
        return "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n"
    }
}
