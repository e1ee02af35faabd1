internal import JSON

/// Writes the JSON object of a response.
struct DynamoDBResponseWriter {
    private var wire = WireWriter()
    private var isFirst = true

    init() { wire.raw("{") }

    mutating func member(_ name: String, _ write: (inout WireWriter) -> Void) {
        if !isFirst { wire.comma() }
        isFirst = false
        wire.string(name)
        wire.raw(":")
        write(&wire)
    }

    mutating func member(_ name: String, _ json: JSON?) {
        guard let json else { return }
        member(name) { $0.raw(json.serialized) }
    }

    /// Writes a member. A nil map is omitted.
    mutating func member(_ name: String, _ map: AttributeMap?) {
        guard let map else { return }
        member(name) { $0.map(map) }
    }

    consuming func finished() -> [UInt8] {
        wire.raw("}")
        return wire.bytes
    }
}
