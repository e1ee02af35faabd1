internal import Bytes
internal import Contracts

/// Settings of the provider that have no effect because it is off. Without a warning, apps would
/// get 404 without a reason.
package struct IdleOAuthSettings: Sendable {
    private let names: [String]

    /// - Parameter isSet: whether the setting of a name is set.
    package init(isOn: Bool, isSet: (_ name: String) -> Bool) {
        let all = SettingNames.own.description.split(separator: " ").map(String.init)
        names = isOn ? [] : all.filter { $0.hasPrefix("OAUTH_") && isSet($0) }
    }

    /// A warning for the operator; nil if there are no such settings.
    package var advice: String? {
        guard !names.isEmpty else { return nil }
        let verb = names.count == 1 ? "has" : "have"
        return "\(names.joined(separator: ", ")) \(verb) no effect without OAUTH=on"
    }
}
