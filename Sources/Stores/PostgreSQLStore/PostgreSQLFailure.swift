internal import Bytes
internal import KeyValueStore
internal import PostgreSQL

/// Maps PostgreSQL's errors to `StoreFailure`. A message has the server's address and the SQLSTATE,
/// never the server's own message, which can quote values.
struct PostgreSQLFailure {
    let place: String
    let table: String

    func failure(_ error: PostgreSQLError) -> StoreFailure {
        switch error {
        case .notConnected(.unreachable): unavailable("no answer in time")
        case .notConnected(.noServer): unavailable("no server listens there")
        case .notConnected(.unknownHost): unavailable("the host name cannot be resolved")
        case .notConnected(.allInUse):
            unavailable("all connections of this process are in use; see STORE_CONNECTIONS")
        case .notConnected(.certificateRefused):
            refused(
                "the server's certificate is not trusted or has expired; "
                    + "see sslmode and sslrootcert")
        case .notConnected(.certificateOfAnotherHost):
            refused("the server's certificate is for another host; see sslmode")
        case .notConnected(.noTLS): refused("the server has no TLS; see sslmode")
        case .notConnected(.refused(let state)): connecting(state)
        case .lost: unavailable("the connection was lost or the answer took too long")
        case .malformedAnswer: unreadable("malformed response")
        case .failed(let state): statement(state)
        }
    }

    var unreadable: StoreFailure { unreadable("a stored item cannot be read") }

    func unavailable(_ reason: String) -> StoreFailure { .unavailable(detail: describe(reason)) }

    func refused(_ reason: String) -> StoreFailure { .refused(detail: describe(reason)) }

    func unreadable(_ reason: String) -> StoreFailure { .unreadable(detail: describe(reason)) }

    private func describe(_ reason: String) -> String { "\(place): \(reason)" }

    private func connecting(_ state: String) -> StoreFailure {
        switch state.prefix(2) {
        case "28": refused("the user or the password is refused (\(state))")
        case "3D": refused("there is no such database (\(state))")
        case "42": refused("the user may not connect (\(state))")
        default: unavailable("the server refuses connections (\(state))")
        }
    }

    private func statement(_ state: String) -> StoreFailure {
        switch state {
        case "42P01":
            return refused("there is no table \(table); run any function with --migrate")
        case SQLState.divisionByZero:
            return refused(
                "the table \(table) is of another version; run --migrate of the newest functions")
        case "42501": return refused("the user may not use the table \(table) (\(state))")
        case SQLState.conditionFailed: return .conditionFailed
        case SQLState.outOfRange: return .counterOverflow
        case "55P03", "57014": return unavailable("locked for too long (\(state))")
        default: break
        }
        // Connection failures, lack of resources, an operator's intervention, system errors,
        // conflicts, and a server that has become a replica.
        let isTransient =
            ["08", "53", "57", "58", "40"].contains(state.prefix(2))
            || state.isSame(as: SQLState.readOnly)
        let reason = "the server refuses a statement (\(state))"
        return isTransient ? unavailable(reason) : refused(reason)
    }
}

/// The codes that the store acts on (PostgreSQL's manual, appendix A).
enum SQLState {
    static let divisionByZero = "22012"
    /// A logarithm of zero or of a negative number: a write whose conditions do not hold.
    static let conditionFailed = "2201E"
    /// A square root of a negative number: a write that was committed before.
    static let writtenBefore = "2201F"
    static let outOfRange = "22003"
    static let serialization = "40001"
    static let deadlock = "40P01"
    static let readOnly = "25006"
}
