package import Testing

extension Trait where Self == TimeLimitTrait {
    /// For tests that can hang. The clock also runs while a test waits for a thread of the
    /// cooperative pool, which has one per core: the limit is longer than a whole run takes.
    package static var hangLimit: Self { .timeLimit(.minutes(30)) }
}
