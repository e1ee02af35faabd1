package import Cryptography
package import Time

/// What the identity providers need of the world.
package struct IdentityPorts: Sendable {
    package let clock: WallClock
    package let random: RandomSource
    /// Runs `action` later, on any thread: for answers that are slow on purpose, and for retries.
    package let after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void
    /// Posts JSON to a URL of the app, and then says which status came back; nil when none did.
    /// It must return at once: the app may stand behind the very server that is waiting.
    package let deliver:
        @Sendable (_ url: String, _ body: [UInt8], _ done: @escaping @Sendable (Int?) -> Void)
            -> Void
    /// Writes a line to the emulator's log. Never a token.
    package let log: @Sendable (String) -> Void

    package init(
        clock: WallClock, random: RandomSource,
        after: @escaping @Sendable (Span, @escaping @Sendable () -> Void) -> Void,
        deliver: @escaping @Sendable (String, [UInt8], @escaping @Sendable (Int?) -> Void) -> Void,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.clock = clock
        self.random = random
        self.after = after
        self.deliver = deliver
        self.log = log
    }
}
