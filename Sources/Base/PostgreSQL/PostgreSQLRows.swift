internal import CPostgreSQL

/// The rows that one statement returned, in binary.
package final class PostgreSQLRows {
    private let result: OpaquePointer

    /// Takes over the result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }

    package func integer(_ row: Int, _ column: Int32) throws(PostgreSQLError) -> Int64 {
        guard let value = try integerOrNull(row, column) else { throw .malformedAnswer }
        return value
    }

    /// A `bigint` or an `integer`.
    package func integerOrNull(_ row: Int, _ column: Int32) throws(PostgreSQLError) -> Int64? {
        guard let bytes = value(row, column) else { return nil }
        let bits = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        switch bytes.count {
        case 8: return Int64(bitPattern: bits)
        case 4: return Int64(Int32(truncatingIfNeeded: bits))
        default: throw .malformedAnswer
        }
    }

    package func bytes(_ row: Int, _ column: Int32) throws(PostgreSQLError) -> [UInt8] {
        guard let bytes = value(row, column) else { throw .malformedAnswer }
        return Array(bytes)
    }

    /// The elements of a `bytea[]`, one after the other, without their lengths.
    package func joinedByteArrays(_ row: Int, _ column: Int32, after start: [UInt8])
        throws(PostgreSQLError) -> [UInt8]
    {
        guard let value = value(row, column) else { throw .malformedAnswer }
        var reader = ArrayReader(bytes: value[...])
        let dimensions = try reader.integer()
        let hasNulls = try reader.integer()
        let type = try reader.integer()
        guard type == Int(PostgreSQLValue.byteaType), hasNulls == 0 else { throw .malformedAnswer }
        guard dimensions > 0 else { return start }
        let count = try reader.integer()
        _ = try reader.integer()
        guard dimensions == 1 else { throw .malformedAnswer }
        var joined = start
        joined.reserveCapacity(start.count + value.count)
        for _ in 0..<count { joined += try reader.run(try reader.integer()) }
        return joined
    }

    private func value(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer? {
        let row = Int32(row)
        // A column or row that does not exist counts as null.
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
    }
}

/// Reads the binary form of an array.
private struct ArrayReader {
    var bytes: Slice<UnsafeRawBufferPointer>

    mutating func integer() throws(PostgreSQLError) -> Int {
        let bits = try run(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard let value = Int(exactly: Int32(bitPattern: bits)), value >= 0 else {
            throw .malformedAnswer
        }
        return value
    }

    mutating func run(_ count: Int) throws(PostgreSQLError) -> Slice<UnsafeRawBufferPointer> {
        guard count <= bytes.count else { throw .malformedAnswer }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
