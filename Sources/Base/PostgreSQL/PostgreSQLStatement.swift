internal import CPostgreSQL

/// A value of a statement, sent in binary.
package enum PostgreSQLValue: Equatable, Sendable {
    /// `bigint`
    case integer(Int64?)
    /// `bytea`
    case bytes([UInt8])
    /// `bytea[]`
    case byteArrays([[UInt8]])
    /// `text`
    case text(String)

    /// The object identifier of its type, from pg_type.dat.
    var type: Oid {
        switch self {
        case .integer: 20
        case .bytes: Self.byteaType
        case .byteArrays: 1001
        case .text: 25
        }
    }

    static let byteaType: Oid = 17

    /// Appends the binary form of a value that is not null.
    func append(to buffer: inout [UInt8]) {
        switch self {
        case .integer(let value): buffer.append(bigEndian: value ?? 0)
        case .bytes(let bytes): buffer += bytes
        case .byteArrays(let arrays): Self.append(arrays, to: &buffer)
        case .text(let text): buffer += text.utf8
        }
    }

    var isNull: Bool { self == .integer(nil) }

    /// `array_recv`: dimensions, whether there are nulls, the type of an element, then for each
    /// dimension its length and lower bound, then each element with its length.
    private static func append(_ arrays: [[UInt8]], to buffer: inout [UInt8]) {
        buffer.append(bigEndian: arrays.isEmpty ? 0 : 1 as Int32)
        buffer.append(bigEndian: 0 as Int32)
        buffer.append(bigEndian: Int32(byteaType))
        guard !arrays.isEmpty else { return }
        buffer.append(bigEndian: Int32(arrays.count))
        buffer.append(bigEndian: 1 as Int32)
        for array in arrays {
            buffer.append(bigEndian: Int32(array.count))
            buffer += array
        }
    }
}

package struct PostgreSQLStatement: Sendable {
    package let text: String
    package let values: [PostgreSQLValue]

    package init(_ text: String, _ values: [PostgreSQLValue] = []) {
        self.text = text
        self.values = values
    }
}

extension [UInt8] {
    fileprivate mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        for shift in stride(from: Integer.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> Integer(shift)))
        }
    }
}
