package import AuthDomain
internal import Bytes
internal import Cryptography
package import KeyValueStore
package import Time

/// A session for an app that has sent its user to the pages. It is found by the hash of a code,
/// which the browser brings to the app. The code is valid once, and for a minute.
package struct SignInCode: Equatable, Sendable {
    package let session: SessionID
    package let epoch: Int64
    /// The hash of the app's verifier (RFC 7636 section 4.2).
    package let challenge: [UInt8]

    package init(session: SessionID, epoch: Int64, challenge: [UInt8]) {
        self.session = session
        self.epoch = epoch
        self.challenge = challenge
    }

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.signInCode, epoch: epoch, expiresAt: expiresAt)
        item.attributes["session"] = .text(session.text)
        item.attributes["challenge"] = .bytes(challenge)
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let session = SessionID(parsing: try read.text("session")) else {
            throw read.unreadable("session")
        }
        self.init(
            session: session, epoch: try AccountLink.epoch(item),
            challenge: try read.bytes("challenge"))
    }

    /// Whether the app has sent the hash of this verifier before.
    package func isProven(by verifier: String) -> Bool {
        constantTimeEquals(SHA256.hash(Array(verifier.utf8)), challenge)
    }
}
