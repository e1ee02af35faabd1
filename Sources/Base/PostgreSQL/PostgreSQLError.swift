/// An error of the server or of the connection to it. Messages are not kept, because they can quote
/// values and settings.
package enum PostgreSQLError: Error, Equatable, Sendable {
    package enum ConnectFailure: Equatable, Sendable {
        /// There was no answer in time.
        case unreachable
        /// No server listens at the address.
        case noServer
        /// The name of the host cannot be resolved.
        case unknownHost
        /// The server's certificate is not trusted or has expired.
        case certificateRefused
        case certificateOfAnotherHost
        /// The server has no TLS, and the settings require it.
        case noTLS
        /// The server, or a pool in front of it, refused the connection.
        case refused(sqlState: String)
        /// Other threads of this process use all permitted connections.
        case allInUse
    }

    /// Nothing was sent.
    case notConnected(ConnectFailure)
    /// The connection or the time ended before all answers arrived: the transaction may or may not
    /// have been committed.
    case lost
    /// The server refused a statement. The transaction was rolled back.
    case failed(sqlState: String)
    /// The answer does not match the statement's result columns.
    case malformedAnswer
}
