import AuthenticationServices
import LatchkeyClient
import SwiftUI

/// The address of the app's server.
enum Server {
    static let url = URL(string: "https://auth.example.com") ?? URL(filePath: "/")
    /// An address in the server's setting `UI_RETURN`.
    static let returnAddress = "com.example.app:/signed-in"

    static var options: Options {
        var options = Options()
        options.device = Device(name: "SwiftUI example")
        return options
    }
}

/// The window for the sheets of the system.
@MainActor var keyWindow: ASPresentationAnchor {
    #if os(macOS)
        NSApplication.shared.keyWindow ?? ASPresentationAnchor()
    #else
        UIApplication.shared.connectedScenes
            .compactMap { ($0 as? UIWindowScene)?.keyWindow }.first ?? ASPresentationAnchor()
    #endif
}
