package import AuthDomain
package import KeyValueStore
package import Time

/// `Device` as an item of its account's partition.
package enum DeviceRecord {
    package static func item(
        _ device: Device, of user: UserID, expiresAt: Instant
    ) -> Item {
        var attributes: Attributes = [:]
        attributes.set("name", device.name)
        attributes.set("system", device.system)
        attributes.set("userAgent", device.userAgent)
        attributes.set("address", device.address)
        attributes.set("firstSeenAt", device.firstSeenAt)
        attributes.set("lastSeenAt", device.lastSeenAt)
        if let trust = device.trust {
            attributes["trust"] = .bytes(trust.tokenHash)
            attributes["trustEpoch"] = .integer(trust.epoch)
            attributes.set("trustEndsAt", trust.endsAt)
        }
        return Item(StoreLayout.device(device.id, of: user), attributes, expiresAt: expiresAt)
    }

    package static func device(_ item: Item, id: DeviceID) throws(StoreFailure) -> Device {
        let read = AttributeReader(item)
        var trust: DeviceTrust?
        if item.attributes["trust"] != nil {
            trust = DeviceTrust(
                tokenHash: try read.bytes("trust"), epoch: try read.integer("trustEpoch"),
                endsAt: try read.instant("trustEndsAt"))
        }
        return Device(
            id: id, name: try read.optionalText("name"), system: try read.optionalText("system"),
            userAgent: try read.optionalText("userAgent"),
            address: try read.optionalText("address"),
            firstSeenAt: try read.instant("firstSeenAt"),
            lastSeenAt: try read.instant("lastSeenAt"), trust: trust)
    }

    /// The device ID in the sort key of its item.
    package static func id(of item: Item) -> DeviceID? {
        guard item.key.sort.hasPrefix(StoreLayout.devicePrefix) else { return nil }
        return DeviceID(parsing: String(item.key.sort.dropFirst(StoreLayout.devicePrefix.count)))
    }

    /// Conditions that hold while the trust is unchanged: withdrawn trust must not be restored, and
    /// a token is valid once.
    package static func trustUnchanged(_ device: Device) -> [Condition] {
        device.trust.map { [.equals("trust", .bytes($0.tokenHash))] } ?? []
    }
}
