/// A usage error with its message for the user.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// An error that is shown to the user of a command.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
