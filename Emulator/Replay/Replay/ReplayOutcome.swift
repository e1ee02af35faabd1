package import JSON

/// The result of replaying one fixture.
package struct ReplayOutcome: Sendable {
    package let fixture: Fixture
    /// Empty when everything is as the fixture says.
    package internal(set) var problems: [String] = []
    /// How many of them are about the answer alone; they come first.
    package internal(set) var responseProblems = 0
    /// Whether the exit status, the log or a call of STS is another than the fixture says. The answer
    /// is then not one to be recorded.
    package internal(set) var hasFailedChecks = false
    /// The statuses that were expected and found, where they differ.
    package internal(set) var statusChange: (expected: Int64, found: Int64)?
    /// The response that was expected and the one that came in the same terms, where they differ.
    package internal(set) var difference: (expected: JSON, found: JSON)?
    /// The response file that would let it pass, when it is the answer that is wrong.
    package internal(set) var update: JSON?
    /// What STS was asked, its policy as a tree.
    package internal(set) var stsForms: [JSONObject] = []

    init(_ fixture: Fixture) { self.fixture = fixture }
}
