internal import AuthDomain
internal import Bytes

extension AuthServices {
    /// The name of the app for people: as on their pages, otherwise the host of the issuer.
    package var appName: String {
        policy.pages?.appName
            ?? issuer.split(separator: "/").dropFirst().first.map(String.init) ?? issuer
    }
}
