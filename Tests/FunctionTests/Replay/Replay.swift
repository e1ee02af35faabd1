import Bytes
import Cryptography
import Foundation
import JOSE
import JSON
import TestSupport

/// Replays each fixture once, a few at a time, for whichever tests want to know.
actor Replay {
    static let shared = Replay()

    private static let atOnceMax = 4

    private let ledger = SecretLedger()
    private var services: Result<Services, any Error>?
    private var running: [String: Task<[String], Never>] = [:]
    private var free = atOnceMax
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// What is wrong with the fixture.
    func problems(of fixture: Fixture) async -> [String] {
        if let task = running[fixture.name] { return await task.value }
        // Owned by `running`: every test that asks for the fixture waits for the same one.
        let task = Task { await replay(fixture) }
        running[fixture.name] = task
        return await task.value
    }

    /// Replays everything; then what was secret, and the texts in which it must not be.
    func everything() async -> SecretLedger {
        await withTaskGroup(of: Void.self) { group in
            for fixture in Events.catalog.fixtures {
                group.addTask { _ = await self.problems(of: fixture) }
            }
        }
        return ledger
    }

    private func replay(_ fixture: Fixture) async -> [String] {
        let services: Services
        do { services = try started() } catch { return ["\(error)"] }
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
        let ledger = ledger
        return await withCheckedContinuation { continuation in
            DetachedThread.run {
                do {
                    let scenario = try Scenario(
                        fixture, among: Events.catalog.fixtures, services: services, ledger: ledger)
                    continuation.resume(returning: scenario.replay())
                } catch {
                    continuation.resume(returning: ["\(error)"])
                }
            }
        }
    }

    private func started() throws -> Services {
        if let services { return try services.get() }
        let result = Result<Services, any Error> {
            let key = try SigningKey.generate(.es256, random: .system)
            let pem = try key.pem().map { String(decoding: $0.reveal(), as: UTF8.self) } ?? ""
            ledger.add(
                "Apple's key", pem.split(separator: "\n").dropFirst().first.map(String.init) ?? "")
            ledger.add("STS", STSStub.secretAccessKey)
            ledger.add("STS", STSStub.sessionToken)
            ledger.add("Apple's token", IdentityProviderStub.appleRefreshToken)
            return Services(
                identityProvider: try IdentityProviderStub(), sts: try STSStub(),
                executables: try Executables.directory(), applePEM: pem)
        }
        services = result
        return try result.get()
    }
}
