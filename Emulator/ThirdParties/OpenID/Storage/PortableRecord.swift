internal import Bytes
internal import EmulatorBase
internal import JSON
internal import SQLite
package import Time

/// A record for export and import: an account, a consent, a key or a token.
package struct PortableRecord: Sendable {
    package let kind: Int64
    package let key: [UInt8]
    package let value: [UInt8]
    package let endsAt: Instant?

    package init(kind: Int64, key: [UInt8], value: [UInt8], endsAt: Instant?) {
        self.kind = kind
        self.key = key
        self.value = value
        self.endsAt = endsAt
    }
}

extension IdentityService {
    /// The records after the given record, or from the first; at most `max`.
    package func records(
        after last: PortableRecord?, max: Int
    ) throws(IdentityServiceFailure) -> [PortableRecord] {
        try stored { () throws(OAuthError) in
            try store.read { records throws(OAuthError) in
                try records.page(afterKind: last?.kind ?? 0, key: last?.key ?? [], max: max)
            }
        }
    }

    /// Stores a record, replacing one with the same key. Issuers then use the imported keys.
    package func put(_ record: PortableRecord) throws(IdentityServiceFailure) {
        guard let kind = Records.Kind(rawValue: record.kind),
            let value = try? JSON.parse(record.value, limits: .keySet),
            let object = value.objectValue
        else { throw .storage("a record of an unknown kind") }
        try stored { () throws(OAuthError) in
            try store.write(at: ports.clock.now()) { records throws(OAuthError) in
                try records.put(kind, record.key, object, until: record.endsAt)
            }
        }
        if kind == .keys { forgetKeys() }
    }

    package func removeAll() throws(IdentityServiceFailure) {
        try stored { () throws(OAuthError) in
            try store.write(at: ports.clock.now()) { records throws(OAuthError) in
                try records.removeAll()
            }
        }
        forgetKeys()
    }

    private func stored<Result>(
        _ body: () throws(OAuthError) -> Result
    ) throws(IdentityServiceFailure) -> Result {
        do throws(OAuthError) {
            return try body()
        } catch {
            throw .storage(String(decoding: error.response.body, as: UTF8.self))
        }
    }
}
