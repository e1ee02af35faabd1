package import AuthDomain
package import KeyValueStore

extension AuditChain {
    package static func email(_ address: EmailAddress) -> AuditChain {
        email(digest: StoreLayout.addressDigest(address))
    }

    /// - Parameter prefix: nil where the platform does not say where a request comes from.
    package static func network(_ prefix: String?) -> AuditChain {
        network(digest: StoreLayout.networkDigest(prefix ?? ""))
    }

    /// The partition of the chain's events.
    package var partition: String { StoreLayout.auditEvents(name) }

    /// The row that holds the chain's end.
    package var headKey: ItemKey { StoreLayout.auditHead(name) }
}
