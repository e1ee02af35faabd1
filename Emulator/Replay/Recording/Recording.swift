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
