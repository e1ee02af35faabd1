package import JSON

extension JSONFailure {
    /// Why the text is invalid, for messages.
    package var reason: String {
        switch self {
        case .tooLarge: "it is too large"
        case .tooDeep: "it is nested too deeply"
        case .tooManyMembers: "an object has too many members"
        case .notUTF8: "the text is not UTF-8"
        case .loneSurrogate: "a \\u escape is an unpaired surrogate"
        case .duplicateName: "the object has a duplicate member name"
        case .syntax: "a comma, a bracket, a quotation mark or a value is missing or wrong"
        case .trailingBytes: "the text should end here"
        }
    }

    /// The position of the error.
    package func place(in bytes: [UInt8]) -> TextPlace? {
        switch self {
        case .tooLarge: nil
        case .tooDeep(let offset), .tooManyMembers(let offset), .notUTF8(let offset),
            .loneSurrogate(let offset), .duplicateName(let offset), .syntax(let offset),
            .trailingBytes(let offset):
            TextPlace(offset: offset, in: bytes)
        }
    }
}
