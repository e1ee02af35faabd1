package import AuthDomain
package import KeyValueStore

extension AuditChain {
    package static func email(_ address: EmailAddress) -> AuditChain {
        email(digest: StoreLayout.addressDigest(address))
    }

    /// - Parameter prefix: nil where the platform does not provide the client's address.
    package static func network(_ prefix: String?) -> AuditChain {
        network(digest: StoreLayout.networkDigest(prefix ?? ""))
    }

    /// The partition of the chain's events.
    package var partition: String { StoreLayout.auditEvents(name) }

    /// The row of the chain's head.
    package var headKey: ItemKey { StoreLayout.auditHead(name) }
}
