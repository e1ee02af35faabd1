internal import AuthDomain
internal import FunctionRuntime
internal import Time

/// `GUESTS` and `GUEST_DAYS`: whether there are guests, and how long they last.
enum GuestSettings {
    private enum Extent: String, CaseIterable {
        case on
        case withoutStorage = "without-storage"
        case off
    }

    /// nil if guests are off. Existing guests then have the lifetime of ordinary sessions.
    static func read(_ reader: inout SettingsReader, _ standard: GuestPolicy?) -> GuestPolicy? {
        guard var policy = standard else { return nil }
        let extent = reader.choice("GUESTS", Extent.self) ?? .on
        if let days = reader.integer("GUEST_DAYS", 1...365) { policy.lifetime = .days(days) }
        policy.allowsStorage = extent == .on
        return extent == .off ? nil : policy
    }
}
