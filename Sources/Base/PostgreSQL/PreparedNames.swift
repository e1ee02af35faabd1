internal import Bytes

/// The names of statements that the server has parsed and planned for one connection, so that it
/// need not do so again.
///
/// A pooler may change the server process after each transaction. Then a process may lack a
/// statement, or have it already. Both are errors before anything is done: the connection then
/// continues with unnamed statements (`turnOff`). A name is made of the statement's text, so that
/// it never stands for another statement, whichever connection parsed it.
struct PreparedNames {
    private var names: [String: String] = [:]
    private var isOn = true

    private static let namesMax = 64

    struct Name {
        /// The name; empty for the unnamed statement.
        let text: String
        /// Whether the server has the statement.
        let isKnown: Bool
    }

    func name(of text: String) -> Name {
        let none = Name(text: "", isKnown: false)
        guard isOn else { return none }
        if let name = names[text] { return Name(text: name, isKnown: true) }
        guard names.count < Self.namesMax else { return none }
        return Name(text: Self.name(text), isKnown: false)
    }

    /// Call this when the server has parsed the statement. The server keeps it even if the
    /// transaction then fails.
    mutating func keep(_ text: String) { names[text] = Self.name(text) }

    /// Continues with unnamed statements after an error about a name: it is missing or taken, or
    /// the table has changed since the statement was planned.
    ///
    /// - Returns: false if the error is not about a name, or if names are off already.
    mutating func turnOff(after sqlState: String) -> Bool {
        guard isOn, ["26000", "42P05", "0A000"].contains(where: sqlState.isSame(as:)) else {
            return false
        }
        isOn = false
        return true
    }

    /// Two hashes (FNV-1a) of the text, in hexadecimal.
    private static func name(_ text: String) -> String {
        var (one, two): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        for byte in text.utf8 {
            one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
            two = (two ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
        }
        return "latchkey_" + String(one, radix: 16) + "_" + String(two, radix: 16)
    }
}
