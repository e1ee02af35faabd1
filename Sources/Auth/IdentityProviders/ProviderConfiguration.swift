internal import Bytes
package import JOSE
internal import JSON
package import Time

/// The configuration of one identity provider: issuers, audiences and keys.
///
/// It is validated once, when the function starts.
package struct ProviderConfiguration: Sendable {
    package enum Kind: Sendable, Equatable { case apple, google, oidc }

    /// The source of the provider's public keys.
    package enum KeySource: Sendable {
        /// A JWKS at a known URL.
        case keys(url: String)
        /// The `jwks_uri` of a discovery document.
        case discovery(url: String)
        /// Keys from a file: no fetching, no rotation.
        case pinned(KeySet)
    }

    /// The name in requests and accounts: `[a-z][a-z0-9-]{0,31}`.
    package let name: String
    package let kind: Kind
    /// The accepted values of `iss`. The first is the canonical one; the others name the same
    /// issuer.
    package let issuers: [String]
    /// The accepted audiences: our client ids at the provider.
    package let clientIDs: [String]
    package private(set) var keySource: KeySource
    /// Whether http is allowed to hosts other than this machine, for closed test networks.
    package let allowsPlainHTTP: Bool

    /// The maximum time after `iat` for a sign-in. Apple's tokens are valid for 24 h, but apps send
    /// them within seconds.
    package var ageMax: Span = .minutes(10)
    /// How far a token's `iat` and `nbf` may be in the future: the provider's clock may be ahead of
    /// ours. There is no leeway for `exp`.
    package var leeway: Span = .seconds(60)

    package var canonicalIssuer: String { issuers[0] }

    private init(
        name: String, kind: Kind, issuers: [String], clientIDs: [String], keysURL: String?,
        allowsPlainHTTP: Bool
    ) throws(ProviderConfigurationFailure) {
        guard Self.isName(name) else { throw .invalidName }
        guard !clientIDs.isEmpty, clientIDs.count <= Self.clientIDsMax else { throw .noClientID }
        guard clientIDs.allSatisfy(Self.isClientID) else { throw .invalidClientID }
        guard
            let issuer = ProviderURL(issuers[0], allowsPlainHTTP: allowsPlainHTTP),
            !issuer.hasQuery
        else { throw .invalidIssuer }
        self.name = name
        self.kind = kind
        self.issuers = issuers
        self.clientIDs = clientIDs
        self.allowsPlainHTTP = allowsPlainHTTP
        if let keysURL {
            keySource = .keys(url: keysURL)
        } else {
            // OpenID Connect Discovery 1.0 section 4.1: a trailing slash is removed first.
            let path = "/.well-known/openid-configuration"
            keySource = .discovery(url: issuer.appending(path))
        }
    }

    /// A signer whose keys are published at a URL, such as a client that authenticates with
    /// `private_key_jwt`.
    ///
    /// - Parameter name: for the log.
    package init(signer: String, name: String, keysAt url: String) {
        self.name = name
        kind = .oidc
        issuers = [signer]
        clientIDs = []
        allowsPlainHTTP = false
        keySource = .keys(url: url)
    }

    private static let clientIDsMax = 64
    private static let clientIDBytesMax = 255
    private static let nameBytesMax = 32

    private static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count <= nameBytesMax else { return false }
        return isLowerLetter(first)
            && bytes.allSatisfy {
                isLowerLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: "-")
            }
    }

    private static func isLowerLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func isClientID(_ text: String) -> Bool {
        (1...clientIDBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension ProviderConfiguration {
    package static let appleIssuers = ["https://appleid.apple.com", "https://account.apple.com"]
    package static let googleIssuers = ["https://accounts.google.com", "accounts.google.com"]

    /// Sign in with Apple. Apple uses two issuers; any other issuer is a test provider.
    package static func apple(
        clientIDs: [String], issuer: String = appleIssuers[0], allowsPlainHTTP: Bool = false
    ) throws(ProviderConfigurationFailure) -> ProviderConfiguration {
        let isApple = appleIssuers.contains { $0.isSame(as: issuer) }
        let issuers = isApple ? appleIssuers : [issuer]
        return try ProviderConfiguration(
            name: "apple", kind: .apple, issuers: issuers, clientIDs: clientIDs,
            keysURL: withoutTrailingSlash(issuers[0]) + "/auth/keys",
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// Google Sign-In. Google uses two forms of its issuer; any other issuer is a test provider.
    package static func google(
        clientIDs: [String], issuer: String = googleIssuers[0], allowsPlainHTTP: Bool = false
    ) throws(ProviderConfigurationFailure) -> ProviderConfiguration {
        let isGoogle = googleIssuers.contains { $0.isSame(as: issuer) }
        let base = isGoogle ? "https://www.googleapis.com" : withoutTrailingSlash(issuer)
        return try ProviderConfiguration(
            name: "google", kind: .google, issuers: isGoogle ? googleIssuers : [issuer],
            clientIDs: clientIDs, keysURL: base + "/oauth2/v3/certs",
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// Any OpenID Connect provider with a discovery document.
    package static func oidc(
        name: String, issuer: String, clientIDs: [String], allowsPlainHTTP: Bool = false
    ) throws(ProviderConfigurationFailure) -> ProviderConfiguration {
        try ProviderConfiguration(
            name: name, kind: .oidc, issuers: [issuer], clientIDs: clientIDs, keysURL: nil,
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// The same provider with the keys of a JWKS file: nothing is fetched.
    package func pinned(
        toJWKS text: [UInt8]
    ) throws(ProviderConfigurationFailure) -> ProviderConfiguration {
        guard let keys = try? ProviderKeys.parse(text, algorithms: algorithms) else {
            throw .invalidKeySet
        }
        var provider = self
        provider.keySource = .pinned(keys)
        return provider
    }

    /// Apple and Google only use RS256. For others the key determines the algorithm; a shared
    /// secret never verifies an ID token.
    package var algorithms: [Algorithm] {
        switch kind {
        case .apple, .google: [.rs256]
        case .oidc: [.rs256, .es256, .edDSA]
        }
    }

    static func withoutTrailingSlash(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    }
}

package enum ProviderConfigurationFailure: Error, Equatable, Sendable {
    case invalidName
    /// The URL is neither a plain https URL nor an http URL of this machine.
    case invalidIssuer
    case noClientID
    case invalidClientID
    /// The pinned file is not a JWKS, or contains no key for this provider's algorithms.
    case invalidKeySet
    /// Apple's team ID, key ID or private key has an invalid format.
    case invalidAppleKey
}
