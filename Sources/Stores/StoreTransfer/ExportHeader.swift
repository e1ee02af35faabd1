package import Bytes
internal import JSON

/// The first line of an export: the values that belong to the items and are not in the store.
package struct ExportHeader: Sendable {
    /// The master key, if the export has it.
    package var masterKey: SecretBytes?
    /// The ID of the master key that the items need; nil if unknown.
    package var masterKeyID: [UInt8]?
    /// The hash of the administrator's password, if the export has it.
    package var administrator: String?

    package init(
        masterKey: SecretBytes? = nil, masterKeyID: [UInt8]? = nil, administrator: String? = nil
    ) {
        self.masterKey = masterKey
        self.masterKeyID = masterKeyID
        self.administrator = administrator
    }

    /// Exports of version 1 have no keys.
    private static let versions: ClosedRange<Int64> = 1...2

    /// nil for anything else, or for a newer version.
    init?(_ line: JSONObject) {
        guard let version = line["latchkeyStore"]?.int64Value, Self.versions.contains(version)
        else { return nil }
        masterKey = line["masterKey"]?.stringValue.flatMap(Base64.decode).map { SecretBytes($0) }
        masterKeyID = line["masterKeyID"]?.stringValue.flatMap { Hex.decode($0) }
        administrator = line["administrator"]?.stringValue
    }

    var line: JSONObject {
        var line: JSONObject = ["latchkeyStore": .number(Self.versions.upperBound)]
        line["masterKeyID"] = masterKeyID.map { .string(Hex.encode($0)) }
        line["masterKey"] = masterKey.map { .string(Base64.encode($0.reveal())) }
        line["administrator"] = administrator.map { .string($0) }
        return line
    }
}
