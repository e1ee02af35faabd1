internal import Bytes
package import JSON

/// `given`: the state before the event (Events/README.md).
package struct FixtureSetup {
    /// nil for the folder's default.
    var contract: String?
    var environment: [(name: String, value: String?)] = []
    var idTokens: [(name: String, recipe: IDTokenDescription)] = []
    var values: [(name: String, value: String)] = []
    var oneTimeCodes: [(name: String, code: OneTimeCode)] = []
    var passkeys: [(name: String, answer: PasskeyAnswer)] = []
    var steps: [FixtureStep] = []
    var sts: STSScript?
    /// False if the response is valid only with the store of the folder's environment.
    var isForAnyStore = true
    /// False if only a separately deployed function gives this response.
    var isForAnyDeployment = true
    var exit: Int32 = 0
    /// The expected log lines, in order; nil if they are not checked.
    var log: [JSON]?

    /// Whether the fixture is replayed in all stores; false if it is about a particular one.
    var isReplayedInTables: Bool {
        isForAnyStore && !environment.contains { $0.name.isSame(as: "STORE") }
    }

    package init() {}

    package init(_ json: JSON) throws(FixtureFailure) {
        for (name, value) in try MemberReader(json, at: "given").members {
            try read(name, value, "given.\(name)")
        }
    }

    private mutating func read(
        _ name: String, _ value: JSON, _ here: String
    ) throws(FixtureFailure) {
        switch name {
        case "about": _ = try MemberReader.text(value, here)
        case "contract": contract = try MemberReader.text(value, here)
        case "environment":
            for (name, value) in try MemberReader(value, at: here).members {
                environment.append(
                    (name, value.isNull ? nil : try MemberReader.text(value, here)))
            }
        case "idTokens":
            for (name, value) in try MemberReader(value, at: here).members {
                idTokens.append((name, try IDTokenDescription(value)))
            }
        case "values":
            for (name, value) in try MemberReader(value, at: here).members {
                if value["oneTimeCode"] != nil {
                    oneTimeCodes.append((name, try Self.oneTimeCode(value, here)))
                } else if value["passkey"] != nil {
                    passkeys.append((name, try PasskeyAnswer(value, here)))
                } else {
                    values.append((name, try Self.value(value, here)))
                }
            }
        case "steps":
            guard let list = value.arrayValue else {
                throw FixtureFailure("\(here) must be a list")
            }
            for step in list { steps.append(try FixtureStep(step)) }
        case "sts": sts = try STSScript(value)
        case "anyStore":
            guard let flag = value.boolValue else { throw FixtureFailure(here) }
            isForAnyStore = flag
        case "anyDeployment":
            guard let flag = value.boolValue else { throw FixtureFailure(here) }
            isForAnyDeployment = flag
        case "exit":
            guard let code = value.int64Value.flatMap(Int32.init(exactly:)) else {
                throw FixtureFailure("\(here) must be an exit status")
            }
            exit = code
        case "log":
            guard let list = value.arrayValue else {
                throw FixtureFailure("\(here) must be a list")
            }
            log = list
        default: throw FixtureFailure("\(here) is unknown")
        }
    }

    /// `{"oneTimeCode": "<secret>", "ahead": 1}`
    private static func oneTimeCode(
        _ json: JSON, _ here: String
    ) throws(FixtureFailure) -> OneTimeCode {
        let reader = try MemberReader(json, at: here, only: ["oneTimeCode", "ahead"])
        return OneTimeCode(
            secret: try MemberReader.text(reader["oneTimeCode"], "\(here).oneTimeCode"),
            ahead: reader["ahead"]?.int64Value ?? 0)
    }

    /// A text, or a text to repeat: `{"text": "[", "times": 40}`.
    private static func value(_ json: JSON, _ here: String) throws(FixtureFailure) -> String {
        if let text = json.stringValue { return text }
        let reader = try MemberReader(json, at: here, only: ["text", "times"])
        guard let times = reader["times"]?.int64Value, (1...8_000_000).contains(times) else {
            throw FixtureFailure("\(here).times")
        }
        return String(
            repeating: try MemberReader.text(reader["text"], "\(here).text"), count: Int(times))
    }
}
