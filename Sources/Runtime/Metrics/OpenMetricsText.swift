/// A text of OpenMetrics 1.0.
package struct OpenMetricsText: Sendable {
    private var text = ""

    package static let contentType =
        "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The current values of all instruments.
    package static func of(_ instruments: [any Instrument]) -> [UInt8] {
        var text = OpenMetricsText()
        for instrument in instruments { instrument.write(to: &text) }
        return Array((text.text + "# EOF\n").utf8)
    }

    mutating func begin(
        _ name: StaticString, _ type: StaticString, _ help: StaticString,
        unit: StaticString? = nil
    ) {
        text += "# TYPE \(name) \(type)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped("\(help)"))\n"
    }

    mutating func sample(
        _ name: StaticString, _ suffix: StaticString, _ labels: [StaticString],
        _ values: [String], _ number: String
    ) {
        text += "\(name)\(suffix)"
        if !labels.isEmpty {
            let pairs = zip(labels, values).map { "\($0)=\"\(Self.escaped($1))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(number)\n"
    }

    /// OpenMetrics 1.0 section "ABNF".
    private static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): result += [UInt8(ascii: "\\"), byte]
            case 0x0A: result += Array("\\n".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
