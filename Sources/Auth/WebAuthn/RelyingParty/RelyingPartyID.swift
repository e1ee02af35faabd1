internal import Bytes
internal import Cryptography

/// An RP ID: the domain to which credentials are bound (WebAuthn section 4). If it is changed,
/// every credential is lost.
package struct RelyingPartyID: Sendable, Hashable {
    package let text: String
    /// The hash of the ID in authenticator data.
    package let hash: [UInt8]

    /// Parses a domain in lower case, such as `example.com` or `localhost`; nil for anything else,
    /// such as a URL.
    package init?(parsing text: String) {
        guard DomainName.isValid(text) else { return nil }
        self.text = text
        hash = SHA256.hash(utf8: text)
    }

    /// Whether a web page of this host may use the RP ID without being a related origin (WebAuthn
    /// section 5.11): the host is the domain or a subdomain.
    func covers(host: String) -> Bool {
        if host.isSame(as: text) { return true }
        let (host, suffix) = (Array(host.utf8), Array(".\(text)".utf8))
        return host.suffix(suffix.count).elementsEqual(suffix)
    }
}
