package import JSON

/// The result of replaying one fixture.
package struct ReplayOutcome: Sendable {
    package let fixture: Fixture
    /// Whether the fixture was not run, because it does not concern this deployment.
    package internal(set) var isSkipped = false
    /// Whether the fixture has no expected response yet.
    package internal(set) var isNew = false
    /// The problems; empty if everything is as expected.
    package internal(set) var problems: [String] = []
    /// The number of problems that concern only the response; they come first.
    package internal(set) var responseProblems = 0
    /// Whether the exit status, the log or an STS call differs from the expected one. The response
    /// must not be recorded then.
    package internal(set) var hasFailedChecks = false
    /// The expected and the actual status, if they differ.
    package internal(set) var statusChange: (expected: Int64, found: Int64)?
    /// The expected and the actual response, aligned, if they differ.
    package internal(set) var difference: (expected: JSON, found: JSON)?
    /// A response with which the fixture would pass, if only the response differs.
    package internal(set) var update: JSON?
    /// The forms of the calls to STS, with the policy as a tree.
    package internal(set) var stsForms: [JSONObject] = []
    /// nil if it was not measured.
    package internal(set) var cost: StoreCost?

    init(_ fixture: Fixture) { self.fixture = fixture }
}
