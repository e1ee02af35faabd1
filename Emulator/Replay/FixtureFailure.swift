/// Why a fixture cannot be read, run or written, in a sentence for whoever wrote it.
package struct FixtureFailure: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func unknownPlaceholder(_ name: String) -> FixtureFailure {
        FixtureFailure("<\(name)> is a hole that nobody fills")
    }
}
