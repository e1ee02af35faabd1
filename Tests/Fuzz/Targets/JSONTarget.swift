internal import JSON

extension FuzzTarget {
    /// Parsing and writing are inverse, and blanks around a document have no effect.
    static let json = FuzzTarget("json", inputBytesMax: 64 << 10, seeds: .events) {
        (input) throws(BrokenProperty) in
        guard let value = try? JSON.parse(input, limits: .request) else {
            // A document that is refused is also refused between blanks.
            let blank = try? JSON.parse([0x20] + input + [0x0A], limits: .request)
            try require(blank == nil, "a refused document is accepted between blanks")
            return
        }
        let written = value.serialized
        let limits = JSONLimits(bytesMax: .max, depthMax: 32, membersMax: 256)
        let again = try? JSON.parse(written, limits: limits)
        try require(again == value, "a written document differs when parsed")
        try require(again?.serialized == written, "writing twice gives different bytes")
        let blank = try? JSON.parse([0x09] + input + [0x0D, 0x0A], limits: limits)
        try require(blank == value, "blanks around a document change it")
        try require(
            String(validating: written, as: UTF8.self) != nil, "the written document is not UTF-8")
        let truncated = try? JSON.parse(written.dropLast(), limits: limits)
        // Only a number can begin with another document.
        if truncated != nil {
            try require(value.numberValue != nil, "a truncated document is accepted")
        }
    }
}

extension JSON {
    fileprivate static func parse(
        _ bytes: ArraySlice<UInt8>, limits: JSONLimits
    ) throws(JSONFailure) -> JSON {
        try parse(Array(bytes), limits: limits)
    }
}
