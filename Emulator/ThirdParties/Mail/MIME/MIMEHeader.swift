internal import Bytes
internal import EmulatorBase

/// One unfolded header of a message.
package struct MIMEHeader: Sendable, Equatable {
    package let name: String
    /// The value as sent, without line ends.
    package let value: String

    /// The value, decoded for display.
    package var text: String { EncodedWords.decode(value) }
}

/// The headers of a message or of a part.
struct HeaderBlock: Sendable {
    static let countMax = 1000
    static let bytesMax = 256 << 10

    private(set) var headers: [MIMEHeader] = []
    /// Whether headers over the limit were dropped.
    private(set) var isCut = false

    /// Parses `bytes` up to the empty line; `body` is the rest. A bare LF is accepted as a line
    /// end, because programs often send that to SES.
    init(_ bytes: ArraySlice<UInt8>, body: inout ArraySlice<UInt8>) {
        var rest = bytes
        var name: [UInt8]?
        var value: [UInt8] = []
        var size = 0
        while !rest.isEmpty {
            let line = rest.removeLine()
            if line.isEmpty { break }
            size += line.count
            guard size <= Self.bytesMax, !isCut else {
                isCut = true
                continue
            }
            if line.first?.isBlank == true {
                value += line
            } else {
                append(name, value)
                name = nil
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
                name = Array(line[..<colon].trimmed)
                value = Array(line[(colon + 1)...])
            }
        }
        append(name, value)
        body = rest
    }

    private mutating func append(_ name: [UInt8]?, _ value: [UInt8]) {
        guard let name, !name.isEmpty else { return }
        guard headers.count < Self.countMax else {
            isCut = true
            return
        }
        headers.append(
            MIMEHeader(name: Charset.guess(name), value: Charset.guess(value.trimmed)))
    }

    /// The value of the first header of that name.
    subscript(name: String) -> String? {
        headers.first { $0.name.equalsIgnoringCase(name) }?.value
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns the first line, without its line end.
    mutating func removeLine() -> ArraySlice<UInt8> {
        guard let end = firstIndex(of: 0x0A) else {
            defer { self = self[endIndex...] }
            return self
        }
        let line = self[..<end]
        self = self[(end + 1)...]
        return line.last == 0x0D ? line.dropLast() : line
    }
}
