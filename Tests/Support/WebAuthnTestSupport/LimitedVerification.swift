/// The limited verification algorithm of WebAuthn section 5.8.1.2, which compares bytes and parses
/// nothing: a second judge that shares no code with the first.
package enum LimitedVerification {
    package static func accepts(
        _ clientDataJSON: [UInt8], type: String, challenge: String, origin: String,
        topOrigin: String?, isCrossOrigin: Bool
    ) -> Bool {
        var expected = #"{"type":"# + string(type) + #","challenge":"# + string(challenge)
        expected += #","origin":"# + string(origin) + #","crossOrigin":"#
        expected += isCrossOrigin ? "true" : "false"
        if let topOrigin { expected += #","topOrigin":"# + string(topOrigin) }
        let prefix = Array(expected.utf8)
        guard clientDataJSON.starts(with: prefix), clientDataJSON.count > prefix.count else {
            return false
        }
        return clientDataJSON[prefix.count] == UInt8(ascii: "}")
            || clientDataJSON[prefix.count] == UInt8(ascii: ",")
    }

    /// CCDToString, for text without control characters.
    private static func string(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
