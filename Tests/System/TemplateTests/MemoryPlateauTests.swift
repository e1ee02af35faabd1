import BaseTestSupport
import Foundation

/// Whether the memory of a warm function grows with its invocations. It takes minutes (2 ms for
/// each invocation with release builds, 25 ms with debug builds), so it runs on request:
/// `LATCHKEY_PLATEAU=50000 scripts/test TemplateTests --filter MemoryPlateau`.
@Suite("Memory plateau", .enabled(if: plateauInvocations != nil))
struct MemoryPlateauTests {
    private static let parts = 10
    /// For the second half: less than 30 bytes for each of 25,000 requests.
    private static let growthKiBMax = 768

    @Test func `the memory of a warm function reaches a plateau`() throws {
        let invocations = try #require(plateauInvocations)
        let deployed = try DeployedTemplate("latchkey") { resources in
            // A release build exceeds the route's limit.
            for (name, resource) in resources.members
            where resource["Properties"]?["DefaultRouteSettings"] != nil {
                try resources.change(name, "Properties") { $0["DefaultRouteSettings"] = nil }
            }
            for (name, resource) in resources.members
            where resource["Type"] == "AWS::Serverless::Function" {
                try resources.change(name, "Properties") { properties in
                    var variables =
                        properties["Environment"]?["Variables"]?.objectValue ?? JSONObject()
                    variables["RATE_LIMITS"] = "off"
                    variables["LOG_LEVEL"] = "error"
                    properties["Environment"] = ["Variables": .object(variables)]
                }
            }
        }
        func signIn() throws {
            let body: JSON = [
                "provider": "apple",
                "idToken": try deployed.mint("apple", ["email": "ada@example.com"]),
            ]
            try expectEqual(deployed.ask(.post, "/auth/signin", body).status, 200)
        }
        try signIn()
        var resident: [Int] = []
        for part in 1...Self.parts {
            for _ in 0..<invocations / Self.parts { try signIn() }
            resident.append(Descendants(of: deployed.emulator.process.pid).residentKiBMax)
            print("\(part * invocations / Self.parts) sign-ins: \(resident[part - 1]) KiB")
        }
        let middle = resident[Self.parts / 2 - 1]
        #expect(middle > 1000)
        #expect(resident[Self.parts - 1] - middle < Self.growthKiBMax, "\(resident)")
    }
}

private let plateauInvocations = ProcessInfo.processInfo.environment["LATCHKEY_PLATEAU"]
    .flatMap { Int($0) }
