@Suite("KeySetCache")
struct KeySetCacheTests {
    let fixture = ProviderFixture()
    let url = ProviderFixture.appleKeysURL

    private func signIn(
        _ key: TestKey = .rsa, by verifier: IdentityVerifier? = nil
    ) -> IdentityFailure? {
        // Issued at the current time of the clock.
        let token = IDToken.apple(key: key).with("iat", .number(fixture.clock.now.seconds))
            .with("exp", .number(fixture.clock.now.seconds + 86400)).text
        return fixture.verify(token, Configured.apple, by: verifier).failure
    }

    // MARK: Freshness

    @Test func `cold processes share one fetch`() {
        for _ in 0..<5 { expectEqual(signIn(), nil) }
        expectEqual(fixture.provider.fetches, 1)
        let request = fixture.provider.requests[0]
        expectEqual(request.method, .get)
        expectEqual(request.url, url)
        expectEqual(request.limits.responseBytesMax, 256 << 10)
    }

    @Test func `a warm process calls neither provider nor store`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        let reads = fixture.store.reads
        for _ in 0..<5 { expectEqual(signIn(by: warm), nil) }
        expectEqual(fixture.provider.fetches, 1)
        expectEqual(fixture.store.reads, reads)
    }

    @Test(
        arguments: [
            (nil, Span.hours(1)), ("public, max-age=1800", .minutes(30)),
            ("PUBLIC,MAX-AGE=1800", .minutes(30)), ("max-age=60", .minutes(5)),
            ("max-age=0", .minutes(5)), ("max-age=7200", .hours(1)),
            ("no-store, max-age=1800", .minutes(5)), ("no-cache", .minutes(5)),
            ("max-age=999999999999", .hours(1)), ("max-age=x", .hours(1)),
            ("max-age=-5", .hours(1)),
            ("s-maxage=7200", .hours(1)), ("private", .hours(1)), ("", .hours(1)),
        ] as [(String?, Span)])
    func `a set is fresh for an hour, or as long as a shorter max-age`(
        cacheControl: String?, expected: Span
    ) {
        let headers = cacheControl.map { [HTTPHeader("cache-control", $0)] } ?? []
        fixture.provider[url] = .keys([.rsa], headers: headers)
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .milliseconds(expected.milliseconds - 1))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 1)
        fixture.clock.advance(by: .milliseconds(1))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `the Age header shortens the freshness`() {
        fixture.provider[url] = .keys(
            [.rsa],
            headers: [HTTPHeader("cache-control", "max-age=7200"), HTTPHeader("age", "3600")])
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .hours(1))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `a set stored with a clock that was ahead is not fresh for years`() {
        fixture.clock.advance(by: .days(400))
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .days(-400))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    // MARK: Rotation

    @Test func `a new key is found at once, and the old one is kept`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .minutes(2))
        fixture.provider[url] = .keys([.otherRSA, .rsa])
        expectEqual(signIn(.otherRSA), nil)
        expectEqual(signIn(.rsa), nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `a removed key is dropped at the next refresh`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        fixture.clock.advance(by: .minutes(2))
        fixture.provider[url] = .keys([.otherRSA])
        expectEqual(signIn(.otherRSA, by: warm), nil)
        expectEqual(signIn(.rsa, by: warm), .unknownKeyID)
        expectEqual(signIn(.rsa), .unknownKeyID)
    }

    @Test func `a warm process finds a new key in the store`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        fixture.clock.advance(by: .minutes(2))
        fixture.provider[url] = .keys([.rsa, .otherRSA])
        expectEqual(signIn(.otherRSA), nil)
        expectEqual(signIn(.otherRSA, by: warm), nil)
        expectEqual(fixture.provider.fetches, 2)
    }

    // MARK: Unknown key ids

    @Test func `an unknown kid causes one fetch, and is remembered for five minutes`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .minutes(2))
        for _ in 0..<5 { expectEqual(signIn(.otherRSA), .unknownKeyID) }
        expectEqual(fixture.provider.fetches, 2)
        fixture.clock.advance(by: .minutes(4))
        expectEqual(signIn(.otherRSA), .unknownKeyID)
        expectEqual(fixture.provider.fetches, 2)
        fixture.clock.advance(by: .minutes(1))
        expectEqual(signIn(.otherRSA), .unknownKeyID)
        expectEqual(fixture.provider.fetches, 3)
    }

    @Test func `random kids cause one fetch and one row per minute`() {
        expectEqual(signIn(), nil)
        let rows = fixture.store.puts.count
        for second in 0..<300 {
            fixture.clock.advance(by: .seconds(1))
            let token = IDToken.apple().withHeader("kid", .string("stranger-\(second)")).text
            expectEqual(fixture.verify(token, Configured.apple).failure, .unknownKeyID)
        }
        expectEqual(fixture.provider.fetches, 6)
        // Each of the five wrote a lease, a set and a negative entry.
        expectEqual(fixture.store.puts.count - rows, 15)
        #expect(fixture.store.puts.allSatisfy { $0.expiresAt != nil })
        expectEqual(signIn(), nil)
    }

    @Test func `a hostile kid is only stored as a hash`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .minutes(2))
        let kid = "../../etc/passwd\u{0}' OR 1=1 --" + String(repeating: "k", count: 200)
        let token = IDToken.apple().withHeader("kid", .string(kid)).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .unknownKeyID)
        for item in fixture.store.puts {
            #expect(item.key.partition.utf8.count + item.key.sort.utf8.count < 200)
            #expect(!item.key.sort.contains("passwd"))
        }
    }

    @Test func `a key published after it was refused is accepted five minutes later`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .minutes(2))
        expectEqual(signIn(.otherRSA), .unknownKeyID)
        fixture.provider[url] = .keys([.rsa, .otherRSA])
        fixture.clock.advance(by: .minutes(5))
        expectEqual(signIn(.otherRSA), nil)
    }

    @Test func `an unknown kid is a keys-unavailable failure while the provider is down`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .minutes(2))
        fixture.provider[url] = .status(500)
        expectEqual(signIn(.otherRSA), .keysUnavailable(.serverError))
        fixture.clock.advance(by: .seconds(59))
        expectEqual(signIn(.otherRSA), .keysUnavailable(.recentlyFailed))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
        expectEqual(fixture.sleeps, 0)
        fixture.provider[url] = .keys([.rsa, .otherRSA])
        fixture.clock.advance(by: .seconds(1))
        expectEqual(signIn(.otherRSA), nil)
    }

    // MARK: Sets without a key

    @Test func `an empty set is remembered for ten seconds`() {
        fixture.provider[url] = .text(#"{"keys":[]}"#)
        expectEqual(signIn(), .keysUnavailable(.noUsableKey))
        fixture.clock.advance(by: .milliseconds(9999))
        for _ in 0..<5 { expectEqual(signIn(), .keysUnavailable(.recentlyFailed)) }
        expectEqual(fixture.provider.fetches, 1)
        expectEqual(fixture.sleeps, 0)
        fixture.clock.advance(by: .milliseconds(1))
        expectEqual(signIn(), .keysUnavailable(.noUsableKey))
        expectEqual(fixture.provider.fetches, 2)
        fixture.provider[url] = .keys([.rsa])
        fixture.clock.advance(by: .seconds(10))
        expectEqual(signIn(), nil)
    }

    @Test func `an empty set does not replace one with keys`() {
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .hours(1))
        fixture.provider[url] = .text(#"{"keys":[]}"#)
        for _ in 0..<5 { expectEqual(signIn(), nil) }
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test func `a provider that cannot be reached is asked again at once`() {
        fixture.provider[url] = .failure(.timedOut)
        expectEqual(signIn(), .keysUnavailable(.timedOut))
        fixture.provider[url] = .keys([.rsa])
        expectEqual(signIn(), nil)
    }

    // MARK: Faults

    static let faults: [(FakeProvider.Answer, KeyFetchFailure)] = [
        (.status(500), .serverError), (.status(404), .clientError),
        (.status(204), .unexpectedStatus), (.status(429), .rateLimited),
        (.failure(.timedOut), .timedOut), (.failure(.connectFailed(detail: "x")), .unreachable),
        (.failure(.interrupted(detail: "x")), .unreachable), (.failure(.invalidURL), .unreachable),
        (.failure(.responseTooLarge), .responseTooLarge),
        (
            .response(
                HTTPResponse(status: 302, headers: [HTTPHeader("location", "https://e.vil")])),
            .redirected
        ),
        (.text(""), .malformedKeySet), (.text("<html>Sorry</html>"), .malformedKeySet),
        (.text("{}"), .malformedKeySet),
        (.text("[]"), .malformedKeySet), (.text(#"{"keys":{}}"#), .malformedKeySet),
        (.text(#"{"keys":[],"keys":[]}"#), .malformedKeySet),
        (.text(#"{"keys":[]}"#), .noUsableKey),
        (.text(#"{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"AAAA"}]}"#), .noUsableKey),
        (.text(#"{"keys":[{"kty":"RSA","kid":"a"},7,null]}"#), .malformedKeySet),
        (.text(#"{"keys":[{"kty":"RSA","kid":"a"},{}]}"#), .noUsableKey),
        (.keys([.rsa, .rsa]), .duplicateKeyID), (.keys([.ec]), .noUsableKey),
        (.text(String(repeating: " ", count: 257 << 10)), .responseTooLarge),
        (
            .text(#"{"keys":["# + Array(repeating: "{}", count: 101).joined(separator: ",") + "]}"),
            .tooManyKeys
        ),
    ]

    @Test(arguments: faults.indices)
    func `without a cached set faults are reported, and only an unusable set is cached`(
        index: Int
    ) {
        let (answer, expected) = Self.faults[index]
        fixture.provider[url] = answer
        expectEqual(signIn(), .keysUnavailable(expected))
        expectEqual(fixture.reports, ["apple \(expected.rawValue)"])
        fixture.provider[url] = .keys([.rsa])
        if expected == .noUsableKey { fixture.clock.advance(by: .seconds(10)) }
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
        expectEqual(fixture.sleeps, 0)
    }

    @Test(arguments: faults.indices)
    func `with a cached set, faults are tolerated for a day, and the set is kept`(index: Int) {
        expectEqual(signIn(), nil)
        fixture.provider[url] = Self.faults[index].0
        fixture.clock.advance(by: .hours(1))
        for _ in 0..<4 { expectEqual(signIn(), nil) }
        // Reported once, and not for each sign-in.
        expectEqual(fixture.reports, ["apple \(Self.faults[index].1.rawValue)"])
        fixture.clock.advance(by: .seconds(59))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 2)
        fixture.clock.advance(by: .seconds(1))
        expectEqual(signIn(), nil)
        expectEqual(fixture.provider.fetches, 3)
        fixture.clock.advance(by: .hours(23))
        expectEqual(signIn(), nil)
        fixture.clock.advance(by: .hours(1))
        expectEqual(signIn(), .keysUnavailable(Self.faults[index].1))
    }

    @Test func `a warm process tolerates faults for as long as a cold one`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        fixture.provider[url] = .status(503)
        fixture.clock.advance(by: .hours(24))
        expectEqual(signIn(by: warm), nil)
        fixture.clock.advance(by: .hours(1))
        expectEqual(signIn(by: warm), .keysUnavailable(.serverError))
    }

    @Test func `without the store a warm process continues and a cold one fails`() {
        let warm = fixture.process()
        expectEqual(signIn(by: warm), nil)
        fixture.store.health = .down
        fixture.clock.advance(by: .hours(2))
        expectEqual(signIn(by: warm), nil)
        expectEqual(signIn(), .keysUnavailable(.storeUnavailable))
        expectEqual(signIn(.otherRSA, by: warm), .keysUnavailable(.storeUnavailable))
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test func `an unreadable stored set is fetched again`() throws {
        expectEqual(signIn(), nil)
        let set = try #require(fixture.store.puts.first { $0.attributes["jwks"] != nil })
        for damage in [
            ["jwks": .bytes(Array("<html>".utf8))], ["jwks": .text("x")],
            ["fetchedAt": .text("x")], ["fetchedAt": .integer(.min)],
            ["freshUntil": .integer(.max)],
        ] as [Attributes] {
            var damaged = set
            for (name, value) in damage { damaged.attributes[name] = value }
            try fixture.store.write([.put(damaged, when: [])])
            expectEqual(signIn(), nil)
        }
        expectEqual(fixture.provider.fetches, 5)
    }

    @Test func `providers do not share keys`() {
        fixture.provider[ProviderFixture.googleKeysURL] = .keys([.otherRSA])
        expectEqual(signIn(), nil)
        expectEqual(
            fixture.verify(IDToken.google(key: .otherRSA).text, Configured.google).failure, nil)
        expectEqual(
            fixture.verify(IDToken.google(key: .rsa).text, Configured.google).failure, .unknownKeyID
        )
    }
}
