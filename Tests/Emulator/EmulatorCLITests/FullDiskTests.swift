import BaseTestSupport
import Foundation

/// A disk that becomes full while the emulator runs, simulated with a file size limit.
@Suite("A disk that fills up", .serialized, .hangLimit)
struct FullDiskTests {
    private static let writesMax = 400

    @Test func `a full disk refuses writes, answers reads, and loses no acknowledged data`() throws
    {
        let project = try EmulatorProject([
            "Items": JSONObject.table(ItemWriter.table),
            "Bucket": JSONObject.bucket(ObjectWriter.bucket),
        ])
        let full = try EmulatorProcess(project.command.onFullDisk(kilobytes: 256))
        let caller = EmulatorClient(full)
        let items = try (0..<Self.writesMax).prefix { try putItem($0, caller) == 200 }
        let objects = try (0..<Self.writesMax).prefix { try putObject($0, caller) == 200 }
        let secrets = try (0..<Self.writesMax).prefix { try putSecret($0, caller) == 200 }
        for count in [items.count, objects.count, secrets.count] {
            // Otherwise the limit was not reached.
            #expect((1..<Self.writesMax).contains(count))
        }
        // Larger than the limit, so it fails even at the first attempt.
        try expectEqual(
            caller.object(.put, "/\(ObjectWriter.bucket)/large", Self.content(300_000))
                .status, 500)
        try expectEqual(putItem(items.count, caller), 500)
        try expectEqual(putObject(objects.count, caller), 500)
        try expectEqual(putSecret(secrets.count, caller), 500)
        try expect(items, objects, secrets, caller)

        #expect(full.process.end().waitUntilGone())
        let emulator = try project.start()
        try expect(items, objects, secrets, EmulatorClient(emulator))
        try expectEqual(putItem(items.count, EmulatorClient(emulator)), 200)
        try expectEqual(putObject(objects.count, EmulatorClient(emulator)), 200)
        try expectEqual(putSecret(secrets.count, EmulatorClient(emulator)), 200)
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        try expectEqual(
            FileManager.default.contentsOfDirectory(atPath: project.statePath)
                .filter { $0.hasSuffix(".part") }, [])
    }

    private func expect(
        _ items: Range<Int>, _ objects: Range<Int>, _ secrets: Range<Int>, _ caller: EmulatorClient
    ) throws {
        for number in items {
            let answer = try caller.table(
                "GetItem", ["TableName": .string(ItemWriter.table), "Key": Self.key(number)])
            expectEqual(answer.json?["Item"]?["value"]?["S"]?.stringValue, Self.text(number))
        }
        for number in objects {
            let answer = try caller.object(.get, "/\(ObjectWriter.bucket)/\(number)")
            #expect(answer.status == 200 && answer.body == Self.content(10_000))
        }
        for number in secrets {
            let answer = try caller.target(
                "secretsmanager.GetSecretValue", ["SecretId": .string("s\(number)")])
            expectEqual(answer.json?["SecretString"]?.stringValue, Self.text(number))
        }
    }

    private func putItem(_ number: Int, _ caller: EmulatorClient) throws -> Int {
        var item = Self.key(number).objectValue ?? [:]
        item["value"] = ["S": .string(Self.text(number))]
        return try caller.table(
            "PutItem", ["TableName": .string(ItemWriter.table), "Item": .object(item)]
        ).status
    }

    private func putObject(_ number: Int, _ caller: EmulatorClient) throws -> Int {
        try caller.object(.put, "/\(ObjectWriter.bucket)/\(number)", Self.content(10_000)).status
    }

    private func putSecret(_ number: Int, _ caller: EmulatorClient) throws -> Int {
        try caller.target(
            "secretsmanager.CreateSecret",
            ["Name": .string("s\(number)"), "SecretString": .string(Self.text(number))]
        ).status
    }

    private static func key(_ number: Int) -> JSON {
        ["pk": ["S": "p"], "sk": ["S": .string("\(number)")]]
    }

    private static func text(_ number: Int) -> String {
        String(repeating: "\(number) ", count: 1500)
    }

    private static func content(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
}
