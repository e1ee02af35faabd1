/// Why a fixture cannot be read, run or written.
package struct FixtureFailure: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func unknownPlaceholder(_ name: String) -> FixtureFailure {
        FixtureFailure("unknown placeholder <\(name)>")
    }
}
