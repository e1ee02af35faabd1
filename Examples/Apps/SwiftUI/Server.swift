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

/// The window for the sheets of the system. Throws `cancelled` if there is none.
@MainActor var keyWindow: ASPresentationAnchor {
    get throws(AuthError) {
        #if os(macOS)
            return NSApplication.shared.keyWindow ?? ASPresentationAnchor()
        #else
            let scenes = UIApplication.shared.connectedScenes
            let windows = scenes.compactMap { ($0 as? UIWindowScene)?.keyWindow }
            // The user may have closed the window in the meantime.
            guard let window = windows.first else { throw .cancelled }
            return window
        #endif
    }
}
