internal import PostgreSQL

extension PostgreSQLAddress.Problem {
    /// Why a PostgreSQL URL is invalid, for messages.
    var reason: String {
        switch self {
        case .malformed: "the form is postgres://USER@HOST/DATABASE"
        case .noUser: "it names no user"
        case .noDatabase: "it names no database"
        case .unknownParameter: "it has an unknown parameter"
        case .tlsMode: "the value of sslmode is unknown"
        case .tableName: "the name of the table is not allowed"
        }
    }
}

extension PostgreSQLError {
    /// Why PostgreSQL could not be used, for messages.
    var reason: String {
        switch self {
        case .notConnected(let failure):
            switch failure {
            case .unreachable: "no answer in time"
            case .noServer: "no server listens there"
            case .unknownHost: "the name of the host cannot be resolved"
            case .certificateRefused: "the server's certificate is not trusted"
            case .certificateOfAnotherHost: "the server's certificate is for another host"
            case .noTLS: "the server has no TLS"
            case .refused(let state): "the connection was refused (SQLSTATE \(state))"
            case .allInUse: "all connections are in use"
            }
        case .lost: "the connection ended"
        case .failed(let state): "a statement was refused (SQLSTATE \(state))"
        case .malformedAnswer: "an answer has an unexpected form"
        }
    }
}
