/// Limits for clients.
package struct SMTPLimits: Sendable, Equatable {
    package var messageBytesMax: Int
    package var recipientsMax: Int
    /// A command with its line end; `AUTH` has the longest (RFC 4954 section 4.5.3.1.3).
    package var commandBytesMax: Int
    /// RFC 5322 allows 1000, but programs often write HTML as a single line.
    package var lineBytesMax: Int
    /// The maximum number of commands in a connection.
    package var commandsMax: Int
    package var errorsMax: Int
    package var connectionsMax: Int
    package var idleSecondsMax: Int
    /// The limit for the incomplete messages of all connections together.
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

/// A message and its envelope.
package struct SMTPMail: Sendable, Equatable {
    /// The sender's address; empty for a null reverse-path.
    package let sender: String
    package let recipients: [String]
    package let raw: [UInt8]
    /// The connection; set by the listener.
    package var connection: SMTPConnectionInfo?
}

/// The connection of a message.
package struct SMTPConnectionInfo: Sendable, Equatable {
    package let clientPort: UInt16
    package let serverPort: UInt16
    /// When the message's first command came, by the monotonic clock.
    package let startNanoseconds: UInt64
}

/// The result of a delivery.
package enum SMTPVerdict: Sendable, Equatable {
    case accepted(id: String)
    /// The complete reply, beginning with its code.
    case refused(String)
}

/// Called by the session to store a message.
package typealias SMTPDelivery = (SMTPMail) -> SMTPVerdict
