internal import Bytes

/// The client of a request, as far as the platform knows it.
package struct Caller: Equatable, Sendable {
    /// The client's address: from the connection, or from the forwarding headers of configured
    /// proxies.
    package let address: String?
    package let userAgent: String?
    /// The request's `Accept-Language` header.
    package private(set) var language: String?
    package private(set) var bearer: BearerCredential
    /// The header `Bot-Proof`, with which the application's hooks can check that the request is not
    /// from a bot.
    package var botProof: String?
    /// The key whose possession the request proves (`AuthServices.proving`).
    var key: ProvenKey?

    package static let addressCharactersMax = 64
    package static let userAgentCharactersMax = 256
    package static let languageCharactersMax = 256
    package static let botProofBytesMax = 8 << 10

    package init(
        address: String? = nil, userAgent: String? = nil, language: String? = nil,
        bearer: BearerCredential = .none
    ) {
        self.address = address.map { Self.printable($0, Self.addressCharactersMax) }
        self.userAgent = userAgent.map { Self.printable($0, Self.userAgentCharactersMax) }
        self.language = language.map { Self.printable($0, Self.languageCharactersMax) }
        self.bearer = bearer
    }

    /// The caller with a credential from another place than the header `Authorization`, for which
    /// the request proves no key.
    package func bearing(_ bearer: BearerCredential) -> Caller {
        var other = self
        (other.bearer, other.key) = (bearer, nil)
        return other
    }

    /// The caller in another language, such as the language of a page.
    package func inLanguage(_ language: String?) -> Caller {
        var other = self
        other.language = language.map { Self.printable($0, Self.languageCharactersMax) }
        return other
    }

    /// Both texts are stored with the session and shown to the user. Their length is limited in
    /// Unicode scalars, because one `Character` can have megabytes of combining marks.
    private static func printable(_ text: String, _ charactersMax: Int) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        if isPlain, text.utf8.count <= charactersMax { return text }
        let scalars = text.unicodeScalars.prefix(charactersMax)
            .filter { !$0.isControl }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// The access token of a request.
package enum BearerCredential: Equatable, Sendable {
    case none
    /// An Authorization header without an access token.
    case malformed
    case token(String)
    /// An access token with the scheme `DPoP`, which is valid only with a proof (RFC 9449 section
    /// 7.1).
    case bound(String)
}
