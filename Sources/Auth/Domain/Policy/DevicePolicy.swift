package import Time

/// The devices on which an account was signed in.
package struct DevicePolicy: Equatable, Sendable {
    /// A further one replaces the one that was not seen for the longest time.
    package var devicesMax: Int
    /// How long a trusted device is not asked for the second factor.
    package var trustLifetime: Span

    package init(devicesMax: Int = 20, trustLifetime: Span = .days(30)) {
        self.devicesMax = devicesMax
        self.trustLifetime = trustLifetime
    }
}
