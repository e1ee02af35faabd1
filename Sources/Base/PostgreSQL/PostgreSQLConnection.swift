internal import Bytes
internal import CPostgreSQL
internal import Glibc
internal import Threads

/// One connection to a server.
///
/// Unchecked Sendable: libpq allows moving a connection between threads as long as only one uses it
/// at a time, and its owner ensures that with a lock.
package final class PostgreSQLConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    /// Set when an answer is missing, because the next answer could belong to an earlier request.
    private var isBroken = false
    private var names = PreparedNames()

    // OpenSSL is initialised once, before the first connection. Otherwise libpq would make it read
    // its configuration file.
    private static let isStarted: Bool = {
        PQinitOpenSSL(0, 0)
        return true
    }()

    /// - Parameter authorities: a file of trusted certificate authorities, for an address that
    ///   names none.
    package init(
        _ address: PostgreSQLAddress, authorities: String?, until deadline: Deadline
    ) throws(PostgreSQLError) {
        _ = Self.isStarted
        guard let connection = Self.begin(address, authorities: authorities) else {
            throw .notConnected(.unreachable)
        }
        self.connection = connection
        // The SQLSTATE of a failed connection is only in the message.
        PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
        // libpq would print notices to standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard PQstatus(connection) != CONNECTION_BAD, step != PGRES_POLLING_FAILED else {
                throw .notConnected(connectFailure)
            }
            let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard wait(for: events, until: deadline) else { throw .notConnected(.unreachable) }
            step = PQconnectPoll(connection)
        }
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            throw .notConnected(.unreachable)
        }
    }

    deinit { PQfinish(connection) }

    /// Whether the connection is open and has no unexpected input, such as the end of the stream.
    package var isOpen: Bool {
        guard !isBroken, PQstatus(connection) == CONNECTION_OK else { return false }
        // A TLS session ticket or a parameter status message is consumed in one step. At the end of
        // the stream, the socket remains readable.
        for _ in 0..<Self.unaskedReadsMax {
            guard isReadable else { return true }
            guard PQconsumeInput(connection) == 1, PQisBusy(connection) == 0,
                PQstatus(connection) == CONNECTION_OK
            else { return false }
        }
        return false
    }

    private static let unaskedReadsMax = 4

    /// Sends all statements at once and waits for their answers: one round trip and, because there
    /// is one synchronisation point after the last, one transaction, which is committed if all
    /// succeed.
    ///
    /// A statement is parsed once for each connection (`PreparedNames`). Apart from that, a
    /// transaction does not depend on earlier ones, so that a connection pooler may run each
    /// transaction in another server process.
    package func run(_ statements: [PostgreSQLStatement], until deadline: Deadline)
        throws(PostgreSQLError) -> [PostgreSQLRows]
    {
        do throws(PostgreSQLError) {
            return try transaction(statements, until: deadline)
        } catch {
            // The transaction was rolled back completely, so it can be repeated.
            guard case .failed(let state) = error, names.turnOff(after: state) else { throw error }
            return try transaction(statements, until: deadline)
        }
    }

    private func transaction(_ statements: [PostgreSQLStatement], until deadline: Deadline)
        throws(PostgreSQLError) -> [PostgreSQLRows]
    {
        var requests: [Request] = []
        var answered = 0
        defer {
            for case .parse(let text) in requests.prefix(answered) { names.keep(text) }
        }
        do throws(PostgreSQLError) {
            try send(statements, &requests)
            return try answers(to: requests, &answered, until: deadline)
        } catch {
            if case .failed = error {} else { isBroken = true }
            throw error
        }
    }

    /// A request to which the server answers with one result.
    private enum Request {
        /// Parses a statement, which gets the name.
        case parse(String)
        case parseUnnamed
        case run
    }

    // MARK: Sending

    private func send(
        _ statements: [PostgreSQLStatement], _ requests: inout [Request]
    ) throws(PostgreSQLError) {
        var parsed: [String] = []
        var unnamed: String?
        for statement in statements {
            let text = statement.text
            let name = names.name(of: text)
            var isParsed = name.isKnown || parsed.contains { $0.isSame(as: text) }
            if name.text.isEmpty {
                // Parsing an unnamed statement replaces the previous one.
                isParsed = unnamed?.isSame(as: text) ?? false
                unnamed = text
            }
            if !isParsed {
                guard send(parsing: statement, as: name.text) else { throw .lost }
                if !name.text.isEmpty { parsed.append(text) }
                requests.append(name.text.isEmpty ? .parseUnnamed : .parse(text))
            }
            guard send(running: statement, as: name.text) else { throw .lost }
            requests.append(.run)
        }
        guard PQpipelineSync(connection) == 1 else { throw .lost }
    }

    private func send(parsing statement: PostgreSQLStatement, as name: String) -> Bool {
        let types = statement.values.map(\.type)
        return PQsendPrepare(
            connection, name, statement.text, Int32(types.count), types) == 1
    }

    private func send(running statement: PostgreSQLStatement, as name: String) -> Bool {
        var buffer: [UInt8] = []
        var starts: [Int?] = []
        var lengths: [Int32] = []
        for value in statement.values {
            let start = buffer.count
            if !value.isNull { value.append(to: &buffer) }
            starts.append(value.isNull ? nil : start)
            lengths.append(Int32(buffer.count - start))
        }
        // libpq treats a null pointer as NULL, even if the length is 0.
        buffer.append(0)
        let formats = [Int32](repeating: 1, count: starts.count)
        return buffer.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = starts.map { start in start.flatMap { base?.advanced(by: $0) } }
            return PQsendQueryPrepared(
                connection, name, Int32(values.count), values, lengths, formats, 1) == 1
        }
    }

    // MARK: Receiving

    /// Reads up to the synchronisation point, so that the next answer belongs to the next request.
    private func answers(
        to requests: [Request], _ answered: inout Int, until deadline: Deadline
    ) throws(PostgreSQLError) -> [PostgreSQLRows] {
        var rows: [PostgreSQLRows] = []
        var failure: PostgreSQLError?
        while true {
            // nil between the answers of two statements.
            guard let result = try nextResult(until: deadline) else {
                guard PQstatus(connection) == CONNECTION_OK else { throw .lost }
                continue
            }
            // Frees the result in its deinit.
            let taken = PostgreSQLRows(result)
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                if let failure { throw failure }
                return rows
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                guard answered < requests.count else { throw .malformedAnswer }
                if case .run = requests[answered] { rows.append(taken) }
                answered += 1
            case PGRES_PIPELINE_ABORTED:
                break
            default:
                guard PQstatus(connection) == CONNECTION_OK, let state = Self.sqlState(of: result)
                else { throw .lost }
                failure = failure ?? .failed(sqlState: state)
            }
        }
    }

    private func nextResult(until deadline: Deadline) throws(PostgreSQLError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            let unsent = PQflush(connection)
            guard unsent >= 0, wait(for: unsent == 1 ? POLLIN | POLLOUT : POLLIN, until: deadline),
                PQconsumeInput(connection) == 1
            else { throw .lost }
        }
        return PQgetResult(connection)
    }

    private static func sqlState(of result: OpaquePointer) -> String? {
        // PG_DIAG_SQLSTATE
        PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    }

    // MARK: Waiting

    private func wait(for events: Int32, until deadline: Deadline) -> Bool {
        while true {
            let left = deadline.millisecondsLeft
            guard left > 0 else { return false }
            var entry = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            guard entry.fd >= 0 else { return false }
            let (count, code) = Waiting.during { () -> (Int32, Int32) in
                let count = poll(&entry, 1, Int32(clamping: left))
                return (count, errno)
            }
            switch count {
            case 0: return false
            case 1...: return true
            default: guard code == EINTR else { return false }
            }
        }
    }

    private var isReadable: Bool {
        var entry = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }
}

// MARK: - Connecting

extension PostgreSQLConnection {
    /// A file that does not exist, so that libpq looks for none in the home directory.
    private static let noFile = "/dev/null/none"
    private static let connectSecondsMax = "10"

    private static func begin(_ address: PostgreSQLAddress, authorities: String?) -> OpaquePointer?
    {
        var options = [
            ("host", address.host), ("port", String(address.port)), ("user", address.user),
            ("dbname", address.database), ("passfile", noFile),
            ("application_name", "latchkey"), ("client_encoding", "UTF8"),
            // Kerberos is not supported.
            ("gssencmode", "disable"),
            ("sslmode", address.isUnixSocket ? "disable" : address.tls.rawValue),
            ("ssl_min_protocol_version", "TLSv1.2"),
            ("sslcert", address.certificate ?? noFile), ("sslkey", address.key ?? noFile),
            ("sslcrl", noFile),
            ("sslrootcert", address.authorities ?? authorities ?? noFile),
            // A silent network must not keep a warm process waiting for two hours.
            ("keepalives_idle", "30"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("connect_timeout", connectSecondsMax),
        ]
        if let password = address.password {
            options.append(("password", String(decoding: password.reveal(), as: UTF8.self)))
        }
        let names = options.map { strdup($0.0) }
        let values = options.map { strdup($0.1) }
        defer {
            for value in values {
                if let value { explicit_bzero(value, strlen(value)) }
                free(value)
            }
            for name in names { free(name) }
        }
        return PQconnectStartParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
    }

    private static let invalidPassword = "28P01"

    /// The reason according to libpq's message. The message itself is dropped.
    private var connectFailure: PostgreSQLError.ConnectFailure {
        guard let text = PQerrorMessage(connection) else { return .unreachable }
        let message = String(cString: text)
        if let state = Self.sqlState(in: message) { return .refused(sqlState: state) }
        if message.contains(utf8: "no password supplied") {
            return .refused(sqlState: Self.invalidPassword)
        }
        if message.contains(utf8: "does not match host name") { return .certificateOfAnotherHost }
        if message.contains(utf8: "certificate") { return .certificateRefused }
        if message.contains(utf8: "does not support SSL") { return .noTLS }
        if message.contains(utf8: "could not translate host name") { return .unknownHost }
        if ["Connection refused", "No such file or directory"].contains(
            where: message.contains(utf8:))
        {
            return .noServer
        }
        return .unreachable
    }

    /// The code of the last line, `FATAL:  28P01`.
    private static func sqlState(in message: String) -> String? {
        let words = message.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard let last = words.last, last.count == 5, words.count > 1,
            words[words.count - 2].last == UInt8(ascii: ":"),
            last.allSatisfy({ $0.isDigit || $0.isUppercase })
        else { return nil }
        return String(last)
    }
}
