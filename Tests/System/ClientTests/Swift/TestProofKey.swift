import Cryptography
import Foundation
import JOSE
import JSON
import LatchkeyClient
import Testing

/// A key in memory.
struct TestProofKey: ProofKey {
    let algorithm = "ES256"
    let publicKey: [String: String]
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256, random: .system)
        let members = key.publicJWK?.members ?? []
        publicKey = Dictionary(
            uniqueKeysWithValues: members.compactMap { member in
                ["kty", "crv", "x", "y"].contains(member.name)
                    ? member.value.stringValue.map { (member.name, $0) } : nil
            })
    }

    func sign(_ message: Data) async throws -> Data { Data(try key.sign(Array(message))) }
}
