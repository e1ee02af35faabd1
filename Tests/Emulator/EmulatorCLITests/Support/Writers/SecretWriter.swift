import BaseTestSupport

/// Sets one secret repeatedly.
final class SecretWriter: Writer {
    private struct State: Sendable {
        var acknowledged = 0
        var asked = 0
    }

    private static let name = "counted"

    private let state = Mutex(State())

    var acknowledgedCount: Int { state.withLock { $0.acknowledged } }

    func step(_ caller: EmulatorClient) throws {
        let number = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        let answer = try caller.target(
            "secretsmanager.PutSecretValue",
            ["SecretId": .string(Self.name), "SecretString": .string("\(number)")])
        try #require(answer.status == 200, "\(answer.text)")
        state.withLock { $0.acknowledged = number }
    }

    func verify(_ caller: EmulatorClient) throws {
        let answer = try caller.target(
            "secretsmanager.GetSecretValue", ["SecretId": .string(Self.name)])
        let text = try #require(answer.json?["SecretString"]?.stringValue, "\(answer.text)")
        state.withLock { state in
            let number = Int(text) ?? 0
            #expect((state.acknowledged...state.asked).contains(number))
            state.acknowledged = number
            state.asked = number
        }
    }

    func verifyAll(_ caller: EmulatorClient) throws { try verify(caller) }

    static let resource: JSON = [
        "Type": "AWS::SecretsManager::Secret",
        "Properties": ["Name": .string(name), "SecretString": "none yet"],
    ]
}
