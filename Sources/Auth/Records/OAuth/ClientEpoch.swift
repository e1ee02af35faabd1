package import KeyValueStore

/// The moment, in milliseconds, at which all grants of a client were ended; 0 if they never were.
/// It is in the client's row and in every grant. A grant with another epoch is not valid.
package enum ClientEpoch {
    static let name = "clientEpoch"

    static func set(_ epoch: Int64, in attributes: inout Attributes) {
        if epoch != 0 { attributes[name] = .integer(epoch) }
    }

    static func read(_ read: AttributeReader) throws(StoreFailure) -> Int64 {
        try read.optionalInteger(name) ?? 0
    }

    /// - Parameter row: the client's own row, or the row of `item`; nil if there is none.
    package static func of(_ row: Item?) throws(StoreFailure) -> Int64 {
        try row.map { row throws(StoreFailure) in try read(AttributeReader(row)) } ?? 0
    }

    /// The row of a client that is not described in the store.
    package static func item(_ epoch: Int64, of client: String) -> Item {
        var attributes: Attributes = ["client": .text(client)]
        set(epoch, in: &attributes)
        return Item(StoreLayout.clientEpoch(client), attributes)
    }

    /// Conditions that hold until another epoch replaces this one.
    package static func unchanged(_ epoch: Int64) -> [Condition] {
        epoch == 0 ? [.absent] : [.equals(name, .integer(epoch))]
    }
}
