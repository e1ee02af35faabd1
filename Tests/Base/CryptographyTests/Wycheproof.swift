import BaseTestSupport
import Foundation

/// A Wycheproof file; one structure with optional members for all kinds of files.
struct Wycheproof: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]

    struct Group: Decodable {
        let publicKey: PublicKey?
        let publicKeyDer: HexBytes?
        let publicKeyPem: String?
        let keySize: Int?
        let ivSize: Int?
        let tagSize: Int?
        let tests: [Case]
    }

    struct PublicKey: Decodable {
        let modulus: HexBytes?
        let publicExponent: HexBytes?
        let uncompressed: HexBytes?
        let pk: HexBytes?
    }

    struct Case: Decodable {
        let tcId: Int
        let comment: String
        let result: Verdict
        let msg, sig: HexBytes?
        let key, iv, aad, ct, tag: HexBytes?
        let ikm, salt, info, okm: HexBytes?
        let password, dk: HexBytes?
        let size, iterationCount, dkLen: Int?

        /// For the messages of failed expectations.
        var name: Comment { "tcId \(tcId): \(comment)" }
    }

    static func load(_ name: String) throws -> Wycheproof {
        let data = try Data(contentsOf: vector("wycheproof/\(name)_test.json"))
        return try JSONDecoder().decode(Wycheproof.self, from: data)
    }

    static func vector(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/\(path)")
    }
}

/// Bytes in hexadecimal.
struct HexBytes: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Hex.decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not hexadecimal")
        }
        self.bytes = bytes
    }
}
