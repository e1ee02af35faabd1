/// What clients may cost.
package struct SMTPLimits: Sendable, Equatable {
    package var messageBytesMax: Int
    package var recipientsMax: Int
    /// A command with its line end; `AUTH` has the longest (RFC 4954 section 4.5.3.1.3).
    package var commandBytesMax: Int
    /// RFC 5322 has 1000, but programs write HTML in one line.
    package var lineBytesMax: Int
    /// In one connection.
    package var commandsMax: Int
    package var errorsMax: Int
    package var connectionsMax: Int
    package var idleSecondsMax: Int
    /// Of all connections together, in messages that are not complete.
    package var heldBytesMax: Int

    package init(
        messageBytesMax: Int = 40 << 20, recipientsMax: Int = 100, commandBytesMax: Int = 12_288,
        lineBytesMax: Int = 1 << 20, commandsMax: Int = 100_000, errorsMax: Int = 20,
        connectionsMax: Int = 64, idleSecondsMax: Int = 300, heldBytesMax: Int = 256 << 20
    ) {
        self.messageBytesMax = messageBytesMax
        self.recipientsMax = recipientsMax
        self.commandBytesMax = commandBytesMax
        self.lineBytesMax = lineBytesMax
        self.commandsMax = commandsMax
        self.errorsMax = errorsMax
        self.connectionsMax = connectionsMax
        self.idleSecondsMax = idleSecondsMax
        self.heldBytesMax = heldBytesMax
    }
}

/// A message and its envelope, as a client handed them over.
package struct SMTPMail: Sendable, Equatable {
    /// Empty for a message that wants no answer.
    package let sender: String
    package let recipients: [String]
    package let raw: [UInt8]
}

/// What becomes of a message.
package enum SMTPVerdict: Sendable, Equatable {
    case accepted(id: String)
    /// The whole reply, code first.
    case refused(String)
}

/// What the session asks to have a message kept.
package typealias SMTPDelivery = (SMTPMail) -> SMTPVerdict
