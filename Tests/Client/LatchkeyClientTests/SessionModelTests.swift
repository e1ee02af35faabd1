import Observation

@Suite("Session model", .timeLimit(.minutes(2))) @MainActor
struct SessionModelTests {
    /// Waits until a view of the model would show it.
    private func wait(
        _ model: SessionModel, until isTrue: @MainActor (SessionModel) -> Bool
    ) async {
        while !isTrue(model) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = isTrue(model)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }

    @Test func `views follow sign-in, refresh and sign-out`() async throws {
        let fixture = Fixture()
        let model = SessionModel(client: fixture.client)
        expectEqual(model.phase, .restoring)
        await model.restore()
        await wait(model) { $0.phase == .signedOut }
        await model.signIn { client throws(AuthError) in
            try await client.logIn(email: "ada@example.com", password: "secret")
        }
        #expect(model.error == nil && !model.isBusy)
        await wait(model) { $0.user != nil }
        guard case .signedIn(let first) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        await fixture.outliveToken()
        _ = try await fixture.client.validToken()
        await wait(model) {
            if case .signedIn(let now) = $0.phase { now.expiresAt > first.expiresAt } else { false }
        }
        await model.signOut()
        await wait(model) { $0.phase == .signedOut }
        #expect(model.user == nil)
    }

    @Test func `a session that the server has ended needs a new sign-in`() async throws {
        let wire = Wire(
            (
                200,
                #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "user": {"id": "u"}}"#
            ),
            (
                401,
                #"""
                {"error":
                {"code": "INVALID_REFRESH_TOKEN", "message": "", "action": "reauthenticate"}}
                """#
            ))
        let clock = ManualClock()
        let model = SessionModel(client: wire.client(.latchkey, clock: clock))
        await model.signIn { client throws(AuthError) in
            try await client.logIn(email: "ada@example.com", password: "secret")
        }
        await wait(model) { $0.user?.id == "u" }
        clock.advance(by: .seconds(900))
        let profile = await model.perform { client throws(AuthError) in
            try await client.profile()
        }
        #expect(profile == nil)
        expectEqual(model.error, .signInAgain(code: "INVALID_REFRESH_TOKEN"))
        await wait(model) {
            $0.phase == .needsAttention(.signInAgain(code: "INVALID_REFRESH_TOKEN"))
        }
    }

    @Test func `a second factor is requested until it is right or cancelled`() async throws {
        let ticket =
            #"{"secondFactorRequired": true, "ticket": "t", "expiresIn": 300, "methods": ["totp"]}"#
        let wire = Wire(
            (202, ticket), (401, #"{"error": {"code": "INVALID_CODE", "message": ""}}"#),
            (
                200,
                #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "user": {"id": "u"}}"#
            ), (202, ticket), (401, #"{"error": {"code": "INVALID_TICKET", "message": ""}}"#),
            (202, ticket))
        let model = SessionModel(client: wire.client(.latchkey))
        func logIn() async {
            await model.signIn { client throws(AuthError) in
                try await client.logIn(email: "ada@example.com", password: "secret")
            }
        }
        await logIn()
        expectEqual(model.secondFactor?.methods, ["totp"])
        await model.answer(.code("000000"))
        expectEqual(model.error?.refusal?.code, "INVALID_CODE")
        #expect(model.secondFactor != nil)
        await model.answer(.code("123456"))
        #expect(model.secondFactor == nil && model.error == nil)
        await wait(model) { $0.user?.id == "u" }

        await logIn()
        await model.answer(.code("123456"))
        #expect(model.secondFactor == nil && model.error != nil)
        await logIn()
        model.cancelSecondFactor()
        #expect(model.secondFactor == nil)
    }

    @Test func `a locked store does not mean signed out, and is read again`() async throws {
        let base = MemoryStore()
        try await Fixture(store: base).logIn()
        let store = FaultyStore(base)
        await store.fail(load: .locked)
        let model = SessionModel(client: Fixture(store: store).client)
        await model.restore()
        expectEqual(model.phase, .needsAttention(.storeUnreadable(.storeLocked)))
        await store.fail()
        await model.restore()
        await wait(model) { $0.user != nil }
    }

    @Test func `a view can show that the session is not stored`() async throws {
        let store = FaultyStore()
        let fixture = Fixture(store: store)
        let model = SessionModel(client: fixture.client)
        await model.restore()
        await store.fail(replace: .failed("full"))
        await model.signIn { client throws(AuthError) in
            try await client.logIn(email: "ada@example.com", password: "secret")
        }
        await wait(model) { !$0.isStored && $0.user != nil }
        await model.signOut()
        await wait(model) { $0.phase == .signedOut && $0.isStored }
    }

    @Test func `a cancelled sheet is not an error, but being offline is`() async throws {
        let model = SessionModel(client: Fixture().client)
        await model.perform { _ throws(AuthError) in throw .offline }
        expectEqual(model.error, .offline)
        await model.perform { _ throws(AuthError) in throw .cancelled }
        #expect(model.error == nil)
    }

    @Test func `a session model without references is released`() async throws {
        let fixture = Fixture()
        weak var model: SessionModel?
        do {
            let strong = SessionModel(client: fixture.client)
            await strong.restore()
            model = strong
        }
        for _ in 0..<1000 where model != nil { await Task.yield() }
        #expect(model == nil)
    }
}
