import BaseTestSupport
import EmulatorBase

@Suite("Local certificates") struct LocalCertificatesTests {
    private let now = Instant(seconds: 1_790_000_000)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(
        _ names: [String] = [], at now: Instant, seed: UInt64 = 1
    ) throws -> LocalCertificates {
        try LocalCertificates.load(
            directory: folder.path, others: names.map { .name($0) }, now: now,
            random: .seeded(seed))
    }

    @Test func `certificates are generated once and then kept`() throws {
        let made = try load(at: now)
        #expect(made.isNewAuthority)
        expectEqual(made.expiresAt, now + .days(30))
        let kept = try load(at: now + .days(1), seed: 2)
        #expect(!kept.isNewAuthority)
        expectEqual(kept.authorityPEM, made.authorityPEM)
        expectEqual(kept.identity.chainPEM, made.identity.chainPEM)
        expectEqual(kept.identity.keyPEM, made.identity.keyPEM)
        try expectEqual(folder.read("ca.pem"), Array(made.authorityPEM.utf8))
        expectEqual(folder.names, ["ca.key", "ca.pem", "server.key", "server.pem"])
    }

    @Test func `private keys are only readable by their owner`() throws {
        _ = try load(at: now)
        for name in ["ca.key", "server.key"] {
            try expectEqual(folder.permissions(of: name), 0o600)
        }
    }

    @Test(arguments: [(22, false), (23, true), (24, true), (40, true)])
    func `the server certificate is renewed in its last week, by the same authority`(
        days: Int64, isRenewed: Bool
    ) throws {
        let made = try load(at: now)
        let later = try load(at: now + .days(days) + .milliseconds(1000), seed: 2)
        expectEqual(later.identity.chainPEM != made.identity.chainPEM, isRenewed)
        expectEqual(later.authorityPEM, made.authorityPEM)
        #expect(!later.isNewAuthority)
    }

    @Test
    func `an authority that would expire before its server certificate is replaced and reported`()
        throws
    {
        let made = try load(at: now)
        let later = try load(at: now + .days(699), seed: 2)
        expectEqual(later.authorityPEM, made.authorityPEM)
        let last = try load(at: now + .days(701), seed: 3)
        #expect(last.authorityPEM != made.authorityPEM)
        #expect(last.isNewAuthority)
        expectEqual(last.expiresAt, now + .days(731))
    }

    @Test func `certificates that are not valid yet are replaced`() throws {
        let made = try load(at: now)
        #expect(try load(at: now - .days(1), seed: 2).authorityPEM != made.authorityPEM)
    }

    @Test(arguments: ["server.pem", "server.key"], [nil, "", "nonsense", "cut"])
    func `a missing or damaged server file only replaces the server certificate`(
        name: String, damage: String?
    ) throws {
        let made = try load(at: now)
        try spoil(name, damage)
        let next = try load(at: now, seed: 2)
        expectEqual(next.authorityPEM, made.authorityPEM)
        #expect(next.identity.chainPEM != made.identity.chainPEM)
        try expectEqual(load(at: now, seed: 3).identity.chainPEM, next.identity.chainPEM)
    }

    @Test(arguments: ["ca.pem", "ca.key"], [nil, "", "nonsense", "cut"])
    func `a missing or damaged authority file replaces both certificates`(
        name: String, damage: String?
    ) throws {
        let made = try load(at: now)
        try spoil(name, damage)
        let next = try load(at: now, seed: 2)
        #expect(next.isNewAuthority)
        #expect(next.authorityPEM != made.authorityPEM)
        #expect(next.identity.chainPEM != made.identity.chainPEM)
        try expectEqual(load(at: now, seed: 3).authorityPEM, next.authorityPEM)
    }

    @Test func `files of two different pairs are not mixed`() throws {
        let other = try TemporaryFolder()
        _ = try LocalCertificates.load(directory: other.path, now: now, random: .seeded(9))
        for (seed, name) in [(2, "ca.key"), (3, "server.key"), (4, "ca.pem")] as [(UInt64, String)]
        {
            let made = try load(at: now)
            try folder.write(try other.read(name), to: name)
            let next = try load(at: now, seed: seed)
            #expect(next.identity.chainPEM != made.identity.chainPEM, "\(name)")
            let authority = try Certificate(pem: next.authorityPEM)
            let server = try Certificate(pem: text(next.identity.chainPEM))
            #expect(server.isSigned(by: authority))
        }
    }

    @Test func `other names need another certificate but not another authority`() throws {
        let made = try load(["mac.local"], at: now)
        let named = try load(["*.s3.localhost", "other.local"], at: now, seed: 2)
        expectEqual(named.authorityPEM, made.authorityPEM)
        #expect(named.identity.chainPEM != made.identity.chainPEM)
        let kept = try load(["*.s3.localhost", "other.local"], at: now, seed: 3)
        expectEqual(kept.identity.chainPEM, named.identity.chainPEM)
    }

    @Test(arguments: [
        "", "a,DNS:b", "a b", "A.localhost", "-a.localhost", "a..localhost", ".localhost",
        "a.*.localhost", "*", "é.localhost", "a\u{0}.localhost",
        "\(String(repeating: "a", count: 64)).localhost",
    ])
    func `an invalid name is refused`(name: String) {
        #expect(throws: CertificatesFailure.cryptography(.malformed)) {
            _ = try load([name], at: now)
        }
    }

    @Test func `a directory that cannot be created is reported`() throws {
        try folder.write([], to: "file")
        for path in [folder.file("file"), folder.file("file/below")] {
            #expect(throws: CertificatesFailure.self) {
                _ = try LocalCertificates.load(directory: path, now: now, random: .seeded(1))
            }
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func spoil(_ name: String, _ damage: String?) throws {
        switch damage {
        case nil: try folder.remove(name)
        case "cut": try folder.write(Array(try folder.read(name).dropLast(60)), to: name)
        case let text?: try folder.write(Array(text.utf8), to: name)
        }
    }
}
