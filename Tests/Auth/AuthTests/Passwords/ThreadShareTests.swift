import Foundation

/// Limits on what the threads of a server do at the same time. The threads of these tests wait
/// until the test releases them.
@Suite("Shares of threads") struct ThreadShareTests {
    @Test func `hashing uses half of the threads, and the next login is refused at once`() throws {
        let (entered, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let places = Atomic<Int>(0)
        let kit = try AuthKit(
            policy: .passwords(.immediate),
            hashingLimit: HashingLimit {
                places.add(1, ordering: .relaxed)
                entered.signal()
                ends.wait()
                return {}
            })
        // Half of five is two; the housekeeping thread does not count.
        _ = kit.auth.forAnotherThread(answersRequests: false)
        let threads = [kit.auth] + (1..<5).map { _ in kit.auth.forAnotherThread() }
        let email = try kit.email()
        let logIn = { @Sendable (thread: AuthServices) -> AuthError? in
            kit.error {
                _ = try thread.logIn(LogIn.Input(email: email, password: "wrong"), Caller())
            }
        }
        let ended = DispatchSemaphore(value: 0)
        for thread in threads[..<2] {
            Thread.detachNewThread {
                _ = logIn(thread)
                ended.signal()
            }
            entered.wait()
        }
        expectEqual(logIn(threads[2]), .unavailable(.passwordHashing))
        expectEqual(places.load(ordering: .relaxed), 2)
        for _ in 0..<3 { ends.signal() }
        for _ in 0..<2 { ended.wait() }
        expectEqual(logIn(threads[3]), .password(.wrongCredentials))
    }

    @Test func `a login without a hashing slot is refused`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate), hashingLimit: HashingLimit { nil })
        let error = kit.error { _ = try kit.logIn() }
        expectEqual(error, .unavailable(.passwordHashing))
        // The share was released.
        expectEqual(kit.error { _ = try kit.logIn() }, error)
    }

    @Test func `sending uses a quarter of the threads, and other mail waits`() throws {
        let (entered, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let mail = FakeMailSystem {
            entered.signal()
            ends.wait()
        }
        let kit = try AuthKit(policy: .passwords(), mail: mail)
        let threads = [kit.auth] + (1..<8).map { _ in kit.auth.forAnotherThread() }
        let ended = DispatchSemaphore(value: 0)
        for (index, thread) in threads[..<3].enumerated() {
            let input = Register.Input(
                email: try kit.email("a\(index)@example.com"), password: AuthKit.password)
            _ = try thread.register(input, Caller())
            guard index < 2 else {
                thread.afterReply.run(until: nil)
                continue
            }
            Thread.detachNewThread {
                thread.afterReply.run(until: nil)
                ended.signal()
            }
            entered.wait()
        }
        for _ in 0..<2 { ends.signal() }
        for _ in 0..<2 { ended.wait() }
        expectEqual(Set(mail.mails.map(\.to)), ["a0@example.com", "a1@example.com"])
        let left = try (0..<8).flatMap { shard in
            try kit.store.query(PartitionQuery("OUTBOX#\(shard)", limit: 10)).items
        }
        expectEqual(left.count, 1)
    }
}
