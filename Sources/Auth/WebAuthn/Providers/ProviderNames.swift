internal import Bytes
internal import JSON

/// Why a list of names was refused.
package enum ProviderNamesFailure: Error, Equatable, Sendable {
    /// The file is not a JSON object, or is above its limits.
    case malformed
    /// A member's name is not a UUID.
    case invalidAAGUID
    /// A name is empty, is too long, or has control characters.
    case invalidName
    /// The same UUID in two spellings.
    case duplicate
}

/// Names of passkey providers and authenticators by AAGUID, to tell a user's passkeys apart. A
/// name proves nothing: without attestation any software may use any AAGUID.
package struct ProviderNames: Sendable {
    package static let bytesMax = 1 << 20
    package static let entriesMax = 4096
    package static let nameBytesMax = 100

    /// nil for the built-in list, which is not read at each start.
    private let names: [AAGUID: String]?

    private init(_ names: [AAGUID: String]?) { self.names = names }

    package static let builtIn = ProviderNames(nil)

    /// Parses an operator's file: an object with UUIDs as members. The value of a member is a name,
    /// or an object with a `name`.
    package init(parsing bytes: [UInt8]) throws(ProviderNamesFailure) {
        let limits = JSONLimits(
            bytesMax: Self.bytesMax, depthMax: 3, membersMax: Self.entriesMax)
        guard let object = (try? JSON.parse(bytes, limits: limits))?.objectValue else {
            throw .malformed
        }
        var names: [AAGUID: String] = [:]
        for (text, value) in object.members {
            guard let aaguid = AAGUID(text: text) else { throw .invalidAAGUID }
            guard let name = value.stringValue ?? value["name"]?.stringValue,
                (1...Self.nameBytesMax).contains(name.utf8.count),
                !name.utf8.contains(where: \.isControl)
            else { throw .invalidName }
            guard names.updateValue(name, forKey: aaguid) == nil else { throw .duplicate }
        }
        self.init(names)
    }

    package var count: Int { names?.count ?? builtInProviders.count }

    /// nil for an AAGUID that is not in the list, and for the AAGUID of unknown authenticators.
    package subscript(aaguid: AAGUID) -> String? {
        guard !aaguid.isUnknown else { return nil }
        guard let names else {
            let text = aaguid.text
            return builtInProviders.first { $0.aaguid.isSame(as: text) }?.name
        }
        return names[aaguid]
    }
}
