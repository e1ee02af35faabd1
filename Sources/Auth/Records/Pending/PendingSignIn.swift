package import AuthDomain
package import KeyValueStore
package import Time

/// A sign-in that waits for its second factor: the account's epoch, the first factor and the
/// device. It is found by the hash of its ticket and valid once.
package struct PendingSignIn: Equatable, Sendable {
    package let epoch: Int64
    package let provider: String
    /// nil for a ticket from before this attribute existed.
    package let method: ProofMethod?
    package let deviceName: String?
    package let deviceSystem: String?
    package let device: DeviceID?
    package let passkey: String?
    /// `SessionProofs.inherited` of the session.
    package let inherited: Instant?

    package init(
        epoch: Int64, provider: String, method: ProofMethod?, deviceName: String?,
        deviceSystem: String?,
        device: DeviceID?, passkey: String? = nil, inherited: Instant? = nil
    ) {
        self.epoch = epoch
        self.provider = provider
        self.method = method
        self.deviceName = deviceName
        self.deviceSystem = deviceSystem
        self.device = device
        self.passkey = passkey
        self.inherited = inherited
    }

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.secondFactor, epoch: epoch, expiresAt: expiresAt)
        item.attributes.set("provider", provider)
        item.attributes.set("method", method?.rawValue)
        item.attributes.set("deviceName", deviceName)
        item.attributes.set("deviceSystem", deviceSystem)
        item.attributes.set("device", device?.text)
        item.attributes.set("passkey", passkey)
        if let inherited { item.attributes.set("inheritedSince", inherited) }
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            epoch: try AccountLink.epoch(item), provider: try read.text("provider"),
            method: try read.optionalText("method").flatMap(ProofMethod.init(rawValue:)),
            deviceName: try read.optionalText("deviceName"),
            deviceSystem: try read.optionalText("deviceSystem"),
            device: try read.optionalText("device").flatMap(DeviceID.init(parsing:)),
            passkey: try read.optionalText("passkey"),
            inherited: try read.optionalInteger("inheritedSince")
                .map(Instant.init(milliseconds:)))
    }
}
