internal import JSON

/// A part of the state that can be exported and imported, as JSON lines with the record type in the
/// member `kind`.
protocol StatePart: Sendable {
    /// The record types of the part.
    var kinds: [String] { get }
    /// A page of records and the next position; nil after the last page.
    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?)
    func take(_ record: JSON) throws
    func clear() throws
}

/// Why a record cannot be imported.
struct StateFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension JSON {
    /// A member that a record must have.
    func required(_ name: String) throws -> String {
        guard let text = self[name]?.stringValue else {
            throw StateFailure("missing member \(name)")
        }
        return text
    }
}

package enum StateLimits {
    /// The approximate size of a page.
    package static let pageBytesMax = 4 << 20
    static let pageRecordsMax = 1000
    /// An object of the largest size in base64, with its envelope.
    package static let lineBytesMax = 384 << 20
    static let json = JSONLimits(bytesMax: lineBytesMax, depthMax: 256, membersMax: nil)
}
