package import Time

/// The limits of an account's known devices.
package struct DevicePolicy: Equatable, Sendable {
    /// A further device replaces the least recently seen one.
    package var devicesMax: Int
    /// How long a trusted device signs in without the second factor.
    package var trustLifetime: Span

    package init(devicesMax: Int = 20, trustLifetime: Span = .days(30)) {
        self.devicesMax = devicesMax
        self.trustLifetime = trustLifetime
    }
}
