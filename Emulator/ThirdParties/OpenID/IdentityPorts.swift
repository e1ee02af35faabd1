package import Cryptography
internal import JOSE
package import Time

/// The dependencies of the identity providers.
package struct IdentityPorts: Sendable {
    package let clock: WallClock
    package let random: RandomSource
    /// nil for keys that only this emulator has.
    package let keys: IssuerKeyFolder?
    /// Runs `action` later, on any thread: for delayed responses and retries.
    package let after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void
    /// Posts JSON to a URL of the app and calls back with the status; nil if there was no response.
    /// It must return immediately, because the app may be served by the server that is waiting.
    package let deliver:
        @Sendable (_ url: String, _ body: [UInt8], _ done: @escaping @Sendable (Int?) -> Void)
            -> Void
    /// Writes a line to the emulator's log. Never pass a token.
    package let log: @Sendable (String) -> Void
    let spareKeys = SpareKeys()

    package init(
        clock: WallClock, random: RandomSource, keys: IssuerKeyFolder? = nil,
        after: @escaping @Sendable (Span, @escaping @Sendable () -> Void) -> Void,
        deliver: @escaping @Sendable (String, [UInt8], @escaping @Sendable (Int?) -> Void) -> Void,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.clock = clock
        self.random = random
        self.keys = keys
        self.after = after
        self.deliver = deliver
        self.log = log
    }

    /// - Parameter name: a name that no other key of the emulator has.
    func newKey(_ name: String, _ algorithm: Algorithm) throws(OAuthError) -> SigningKey {
        do throws(KeyFailure) {
            if let keys { return try keys.key(name, algorithm, random: random) }
            if let spare = spareKeys.take(algorithm) { return spare }
            return try SigningKey.generate(algorithm, random: random)
        } catch {
            throw .own(500, "Cannot generate a signing key.")
        }
    }
}
