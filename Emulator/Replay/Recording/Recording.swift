package import JSON

/// What a live invocation comes to.
package enum Recording: Sendable {
    case fixture(RecordedFixture)
    /// The same has been recorded under that name.
    case duplicate(of: String)
    /// Why it cannot be a fixture, in one line.
    case leftOut(String)
}

/// A fixture that a live invocation became: nothing secret is in it.
package struct RecordedFixture: Sendable {
    package let function: String
    /// `post-auth-signin-200`
    package let caseName: String
    package let event: JSON
    package let response: JSON
    package let given: JSON?

    package var name: String { "\(function)/\(caseName)" }
}
