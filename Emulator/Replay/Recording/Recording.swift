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
    /// `signin/post-auth-signin-200`
    package let name: String
    package let event: JSON
    package let response: JSON
    package let given: JSON?

    /// The name, with the first number that is free unless it is free itself.
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
