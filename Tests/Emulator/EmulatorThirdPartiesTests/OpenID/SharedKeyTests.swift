import BaseTestSupport
import EmulatorThirdParties
import Foundation
import JOSE

@Suite("Issuers' keys that emulators share") struct SharedKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func emulator(seed: UInt64) throws -> IdentityServiceHarness {
        let keys = try IssuerKeyFolder(path: folder.file("keys"))
        try folder.makeFolder("state-\(seed)")
        return try IdentityServiceHarness(
            IdentityConfiguration(issuers: [IdentityServiceHarness.acme]),
            directory: folder.file("state-\(seed)"),
            environment: .init(seed: seed, keys: keys))
    }

    private func identifiers(_ emulator: IdentityServiceHarness) throws -> [String?] {
        try emulator.keys("acme").keys.map(\.kid)
    }

    @Test func `a token of one emulator is valid in another, also after a rotation`() throws {
        let (first, second) = (try emulator(seed: 1), try emulator(seed: 2))
        let token = try first.mint("acme")
        #expect(throws: Never.self) { try second.verify(token, "acme", "acme-client") }
        try expectEqual(identifiers(first), identifiers(second))
        for emulator in [first, second] {
            _ = try emulator.put("/_idp/acme/faults", json: ["name": "rotated-old-kept"])
        }
        try expectEqual(identifiers(first), identifiers(second))
        expectEqual(Set(try identifiers(first)).count, 3)
    }

    @Test func `a damaged file is replaced, and only its user can read it`() throws {
        let before = try identifiers(try emulator(seed: 1))
        let file = "keys/acme-ES256-1.jwk"
        try folder.replace(file, with: Array("{}".utf8))
        let after = try identifiers(try emulator(seed: 2))
        #expect(after[0] != before[0])
        expectEqual(after[1], before[1])
        try expectEqual(identifiers(try emulator(seed: 3)), after)
        for (path, permissions) in [(file, 0o600), ("keys", 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(path))
            expectEqual(attributes[.posixPermissions] as? Int, permissions)
        }
    }
}
