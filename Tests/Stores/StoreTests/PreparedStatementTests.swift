import PostgreSQL

/// Statements are parsed once for a connection, as long as the server process stays the same.
@Suite("Prepared statements of PostgreSQL") struct PreparedStatementTests {
    let connection: PostgreSQLConnection

    init() throws {
        let address = try PostgreSQLAddress(url: PostgreSQLServer.shared().newURL())
        connection = try PostgreSQLConnection(
            address, authorities: nil, until: .after(milliseconds: 10_000))
    }

    private func run(_ sql: String, _ values: [PostgreSQLValue] = []) throws -> PostgreSQLRows {
        let rows = try connection.run(
            [PostgreSQLStatement(sql, values)], until: .after(milliseconds: 10_000))
        return try #require(rows.last)
    }

    private func sum(_ number: Int64) throws -> Int64 {
        try run("SELECT $1 + 1", [.integer(number)]).integer(0, 0)
    }

    /// Statements of this connection, except the one that counts them.
    private func parsedCount() throws -> Int64 {
        try run(
            "SELECT count(*) FROM pg_prepared_statements WHERE name <> '' AND "
                + "statement NOT LIKE '%pg_prepared%'"
        ).integer(0, 0)
    }

    @Test func `a statement is parsed once, whatever its values`() throws {
        for number in 0..<5 as Range<Int64> { try expectEqual(sum(number), number + 1) }
        try expectEqual(parsedCount(), 1)
        let several = (0..<3).map { PostgreSQLStatement("SELECT $1 + 2", [.integer($0)]) }
        let rows = try connection.run(several, until: .after(milliseconds: 10_000))
        try expectEqual(rows.map { try $0.integer(0, 0) }, [2, 3, 4])
        try expectEqual(parsedCount(), 2)
    }

    @Test func `a connection keeps a limited number of statements`() throws {
        for number in 0..<100 { _ = try run("SELECT \(number)") }
        #expect(try parsedCount() <= 64)
        try expectEqual(run("SELECT 99").integer(0, 0), 99)
    }

    /// As behind a pooler that runs each transaction in another process.
    @Test func `statements are parsed each time if the server has lost them`() throws {
        try expectEqual(sum(1), 2)
        _ = try run("DEALLOCATE ALL")
        for number in 0..<3 as Range<Int64> { try expectEqual(sum(number), number + 1) }
        try expectEqual(parsedCount(), 0)
    }

    @Test func `a statement works even if the server already has one with its name`() throws {
        try expectEqual(sum(1), 2)
        let name = try run("SELECT name FROM pg_prepared_statements LIMIT 1").bytes(0, 0)
        let taken = String(decoding: name, as: UTF8.self)
        let other = try PreparedStatementTests()
        _ = try other.run("PREPARE \(taken) (bigint) AS SELECT 0 * $1")
        #expect(try other.sum(1) == 2 && other.sum(2) == 3)
    }

    @Test func `a statement whose first execution fails remains prepared`() throws {
        for divisor in [0, 0, 2] as [Int64] {
            let result = Result { try run("SELECT 4 / $1", [.integer(divisor)]).integer(0, 0) }
            switch result {
            case .success(let quotient): #expect(divisor == 2 && quotient == 2)
            case .failure(let error):
                expectEqual(error as? PostgreSQLError, .failed(sqlState: "22012"))
            }
        }
        // Parsed once, and kept by the server although its first transaction failed.
        try expectEqual(parsedCount(), 1)
    }

    @Test func `a changed table does not break its prepared statements`() throws {
        let table = PostgreSQLServer.newTable()
        _ = try run("CREATE TABLE \(table) (a bigint)")
        _ = try run("INSERT INTO \(table) VALUES (1)")
        try expectEqual(run("SELECT * FROM \(table)").integer(0, 0), 1)
        _ = try run("ALTER TABLE \(table) ALTER a TYPE int USING a::int, ADD b bigint")
        try expectEqual(run("SELECT * FROM \(table)").count, 1)
        _ = try run("DROP TABLE \(table)")
    }
}
