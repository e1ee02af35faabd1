package import JSON

/// The result of recording a live invocation.
package enum Recording: Sendable {
    case fixture(RecordedFixture)
    /// An identical fixture was already recorded under that name.
    case duplicate(of: String)
    /// Why it cannot be a fixture, in one line.
    case leftOut(String)
}

/// A fixture made from a live invocation; it contains no secrets.
package struct RecordedFixture: Sendable {
    /// `signin/post-auth-signin-200`
    package let name: String
    package let event: JSON
    package let response: JSON
    package let given: JSON?
    /// The numbers of the invocations that its steps repeat.
    package let steps: [Int]
    let shown: ShownAliases

    /// A step that repeats an invocation.
    package struct Step: Sendable {
        package let number: Int
        package let json: JSON
    }

    /// This fixture with more steps, in the order of their invocations.
    package func adding(_ more: [Step]) -> RecordedFixture {
        guard !more.isEmpty else { return self }
        var given = given?.objectValue ?? JSONObject()
        let own = zip(steps, given["steps"]?.arrayValue ?? []).map(Step.init(number:json:))
        let all = (own + more).sorted { $0.number < $1.number }
        given["steps"] = .array(all.map(\.json))
        return RecordedFixture(
            name: name, event: event, response: response, given: .object(given),
            steps: all.map(\.number), shown: shown)
    }

    /// nil for the folder's default.
    var contract: String? { given?["contract"]?.stringValue }

    /// The name itself if it is free, otherwise with the first free number appended.
    static func numbered(_ name: String, isFree: (String) -> Bool) -> String {
        var numbered = name
        var number = 1
        while !isFree(numbered) {
            number += 1
            numbered = "\(name)-\(number)"
        }
        return numbered
    }
}
