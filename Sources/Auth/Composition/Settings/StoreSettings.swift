internal import Bytes
internal import FunctionRuntime

/// `STORE`: where the state is stored.
enum StoreSettings: Equatable, Sendable {
    case memory
    case sqlite(path: String)
    case dynamoDB(table: String)

    var isInAWS: Bool {
        if case .dynamoDB = self { true } else { false }
    }

    /// Needs only a writable directory.
    static let standard = StoreSettings.sqlite(path: "latchkey.db")

    static func read(_ reader: inout SettingsReader) -> StoreSettings {
        guard let raw = reader.text("STORE") else { return standard }
        if raw.isSame(as: "memory:") { return .memory }
        if let path = raw.dropping("sqlite:"), !path.isEmpty { return .sqlite(path: path) }
        if let table = raw.dropping("dynamodb:"), isTableName(table) {
            return .dynamoDB(table: table)
        }
        reader.refuse("STORE must be sqlite:PATH, dynamodb:TABLE or memory:")
        return standard
    }

    private static func isTableName(_ text: String) -> Bool {
        (3...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "_.-".utf8.contains(byte)
            }
    }
}
