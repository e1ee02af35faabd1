internal import JSON

/// One kind of state, as records that can be carried from one emulator to another: a line of JSON
/// each, with the kind in its member `kind`.
protocol StatePart: Sendable {
    /// Those that the part writes and reads.
    var kinds: [String] { get }
    /// Some records, and where to go on; nil when there is nothing more.
    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?)
    func take(_ record: JSON) throws
    func clear() throws
}

/// Why a record cannot be taken.
struct StateFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension JSON {
    /// A member that a record must have.
    func required(_ name: String) throws -> String {
        guard let text = self[name]?.stringValue else {
            throw StateFailure("a record lacks \(name)")
        }
        return text
    }
}

enum StateLimits {
    /// About as much as one page may have.
    static let pageBytesMax = 4 << 20
    static let pageRecordsMax = 1000
    /// An object of the largest size in base64, and what stands around it.
    static let lineBytesMax = 384 << 20
    static let json = JSONLimits(bytesMax: lineBytesMax, depthMax: 256, membersMax: nil)
}
