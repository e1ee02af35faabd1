import Foundation
import LatchkeyClient
import TestSupport

/// The Swift client over a real network, with the functions of `latchkey`. Each flow has its own
/// emulator: see EmulatorProcess.
@Suite("Flows of the Swift client", .serialized, .hangLimit)
struct SwiftClientFlowTests {
    @Test func `the client handles identity tokens, refresh, reuse, relaunch and sign-out`()
        async throws
    {
        let server = try DeployedServer()
        let store = MemoryStore()
        let network = RefusingTransport()
        let client = try server.client(store: store, transport: network)
        try await expectEqual(client.restore(), nil)
        let challenge = try await client.challenge()
        let result = try await client.signIn(
            try await server.credential(nonce: challenge.nonce), device: Device(name: "Laptop"))
        let session = try #require(result.session)
        expectEqual(session.isNewUser, true)
        expectEqual(session.user?.email, "ada@example.com")
        let first = try await client.validToken().value
        try await expectEqual(client.profile().authProviders, ["google"])
        let renamed = try await client.changeName(to: "Ada").user
        try await expectEqual(client.restore()?.user, renamed)
        expectEqual(renamed.displayName, "Ada")
        let content = try server.url.appending(path: "auth/me")
        try await expectEqual(client.send(HTTPRequest("GET", content)).status, 200)

        // The server answers 401 to a token that the client takes for a valid one.
        await network.damage(first)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask { try await client.send(HTTPRequest("GET", content)).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(statuses, Array(repeating: 200, count: 200))
        await expectEqual(network.refreshes, 1)
        #expect(try await client.validToken().value != first)

        // The next start, with the same store.
        let next = try server.client(store: store)
        try await expectEqual(next.restore()?.user?.id, session.user?.id)
        let sessions = try await next.sessions()
        #expect(sessions.count == 1 && sessions.first?.current == true)
        expectEqual(sessions.first?.device?.name, "Laptop")

        // A session that ends elsewhere ends here at the next refresh.
        let other = try server.client()
        _ = try await other.signIn(try await server.credential())
        try await other.signOutOthers()
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            _ = try await next.profile()
        }
        await expectEqual(store.load(), nil)
        await expectEqual(other.signOut(.all), SignOutResult())
        await #expect(throws: AuthError.signedOut) { _ = try await other.profile() }
    }

    @Test func `the server's pages redirect back to the app, with its session`() async throws {
        let address = "com.example.app:/signed-in"
        let server = try DeployedServer(parameters: ["Pages=on", "PageReturns=\(address)"])
        let store = MemoryStore()
        let client = try server.client(store: store)
        let (email, password) = ("ada@example.org", "correct horse battery")
        _ = try await client.register(email: email, password: password)
        let mail = try await server.mail(to: email)
        _ = try await client.verifyEmail(.token(mail.token), password: password)
        _ = await client.signOut()

        let begun = try await client.beginPageSignIn(returnTo: address)
        let callback = try Self.callback(of: begun.url, email, password)
        expectEqual(callback.scheme, begun.callbackScheme)
        let session = try await client.signIn(begun, callback: callback)
        expectEqual(session.user?.email, email)
        try await expectEqual(client.profile().user.email, email)
        try await expectEqual(server.client(store: store).restore()?.user?.email, email)
        // Another app that has seen the URL has not the verifier.
        let thief = try server.client()
        let other = try await thief.beginPageSignIn(returnTo: address)
        let refused = try await refusal { _ = try await thief.signIn(other, callback: callback) }
        expectEqual(refused.code, "STATE_MISMATCH")
        // An address that the server does not know.
        let wrong = try await client.beginPageSignIn(returnTo: "org.example.other:/x")
        #expect(throws: NoWayBack.self) { try Self.callback(of: wrong.url, email, password) }
    }

    /// What the system's browser answers with.
    private static func callback(of page: URL, _ email: String, _ password: String) throws -> URL {
        let result = try ChildProcess.run(
            Command(
                try VirtualEnvironment.program("python"),
                [
                    ClientScript.path("Clients/return_to_app.py"), page.absoluteString, email,
                    password,
                ]))
        let line = result.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.end == .exit(0), let url = URL(string: line) else {
            throw NoWayBack(reason: result.errorText)
        }
        return url
    }

    private struct NoWayBack: Error { let reason: String }

    @Test func `the client handles registration, passwords, codes and links`() async throws {
        let server = try DeployedServer()
        let store = MemoryStore()
        let client = try server.client(store: store)
        let address = "grace@example.org"
        _ = try await client.register(email: address, password: "correct horse battery")
        let mail = try await server.mail(to: address)
        // The link starts the app anew.
        let started = try server.client(store: store)
        let session = try await started.verifyEmail(
            .token(mail.token), password: "correct horse battery",
            device: Device(name: "Grace's phone"))
        expectEqual(session.user?.emailVerified, true)
        try await expectEqual(started.sessions().map(\.device?.name), ["Grace's phone"])
        #expect(String(decoding: await store.load() ?? Data(), as: UTF8.self).contains("grace"))
        #expect(!String(decoding: await store.load() ?? Data(), as: UTF8.self).contains("Secret"))

        let wrong = try await refusal {
            _ = try await client.logIn(email: address, password: "wrong")
        }
        #expect(wrong.code == "INVALID_CREDENTIALS" && wrong.status == 401)
        let again = try await client.logIn(email: address, password: "correct horse battery")
        expectEqual(again.session?.user?.id, session.user?.id)
        let changed = try await client.changePassword(
            current: "correct horse battery", new: "staple battery horse")
        expectEqual(changed.id, again.session?.id)
        try await expectEqual(client.profile().user.email, address)

        // A code instead of a link, in the app that asked for it.
        _ = await client.signOut()
        _ = try await client.requestLink(email: address)
        let code = try await server.mail(to: address, after: [mail.token])
        let linked = try await client.redeemLink(.code(try #require(code.code)))
        expectEqual(linked.session?.user?.id, session.user?.id)
        // Another app has not asked.
        await #expect(throws: AuthError.self) {
            _ = try await server.client().redeemLink(.token(code.token))
        }
        _ = try await client.forgotPassword(email: address)
        let reset = try await server.mail(to: address, after: [mail.token, code.token])
        try await client.resetPassword(.token(reset.token), newPassword: "yet another secret")
        await #expect(throws: AuthError.self) { _ = try await client.profile() }
        _ = try await client.logIn(email: address, password: "yet another secret")

        // Another address.
        _ = try await client.changeEmail(to: "hopper@example.org")
        let confirmation = try await server.mail(to: "hopper@example.org")
        try await client.confirmEmail(.token(confirmation.token))
        try await expectEqual(client.profile().user.email, "hopper@example.org")
    }

    @Test func `the client handles the second factor, devices and step-up`() async throws {
        let server = try DeployedServer()
        let store = MemoryStore()
        let client = try server.client(store: store) { $0.device.fingerprint = "device-1" }
        _ = try await client.signIn(try await server.credential())
        let enrolment = try await client.enrolFactor()
        let app = TOTP(secret: enrolment.secret)
        let recovery = try await client.confirmFactor(code: app.code())
        expectEqual(recovery.count, 10)
        _ = try await client.profile()
        _ = await client.signOut()

        let result = try await client.signIn(try await server.credential())
        guard case .secondFactorRequired(let challenge) = result else {
            Issue.record("no second factor was asked for")
            return
        }
        #expect(challenge.methods.contains("totp"))
        await #expect(throws: AuthError.signedOut) { _ = try await client.profile() }
        _ = try await client.answer(challenge, with: .recoveryCode(recovery[0]))
        let devices = try await client.devices()
        let device = try #require(devices.first { $0.current })
        try await client.trustDevice(id: device.id, code: try app.code(ahead: 1))
        _ = await client.signOut()
        // The device is trusted: its token is sent.
        #expect(try await client.signIn(try await server.credential()).session != nil)

        // One factor alone does not suffice, because the account has two.
        let old = try await refusal { try await client.deleteAccount() }
        #expect(old.stepUp != nil, "\(old)")
        let proof = try await client.stepUp(.recoveryCode(recovery[1]))
        expectEqual(proof.strength, "aal2")
        // From another device.
        let phone = try server.client()
        guard
            case .secondFactorRequired(let second) = try await phone.signIn(
                try await server.credential())
        else {
            Issue.record("no second factor was asked for")
            return
        }
        _ = try await phone.answer(second, with: .recoveryCode(recovery[2]))
        try await phone.forgetDevice(id: device.id)
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            _ = try await client.profile()
        }
        try await phone.deleteAccount()
        await #expect(throws: AuthError.signedOut) { _ = try await phone.profile() }
        try await expectEqual(phone.restore(), nil)
    }

    @Test func `a guest is merged into a session that a mailed code steps up`() async throws {
        let server = try DeployedServer()
        let client = try server.client()
        _ = try await client.beginAsGuest()
        let address = "lovelace@example.org"
        let other = try server.client()
        _ = try await other.requestLink(email: address)
        let mail = try await server.mail(to: address)
        let session = try await other.redeemLink(.token(mail.token)).session

        let merged = try await client.merge(into: .session(other))
        #expect(merged.user?.id == session?.user?.id && merged.user?.isGuest != true)
        await #expect(throws: AuthError.signedOut) { _ = try await other.profile() }
        try await expectEqual(client.profile().user.email, address)

        _ = try await client.requestLink(email: address)
        let next = try await server.mail(to: address, after: [mail.token])
        let proof = try await client.stepUp(.mail(.code(try #require(next.code))))
        #expect(proof.strength == "aal1" && proof.methods == ["email"])
        try await expectEqual(client.sessions().count, 1)
    }

    @Test func `the client handles guests, sign-in methods, merges and exports`() async throws {
        let server = try DeployedServer()
        let owner = try server.client()
        _ = try await owner.signIn(try await server.credential())
        let client = try server.client()
        let guest = try await client.beginAsGuest()
        expectEqual(guest.user?.isGuest, true)
        let taken = try await refusal {
            _ = try await client.link(try await server.credential())
        }
        let merged = try await client.merge(into: .ticket(try #require(taken.mergeTicket)))
        expectEqual(merged.user?.email, "ada@example.com")
        let methods = try await client.link(try await server.credential("apple"))
        expectEqual(Set(methods.map(\.method)), ["google", "apple"])
        let addition = try await client.addPassword("correct horse battery")
        guard case .added(let all) = addition else {
            Issue.record("\(addition)")
            return
        }
        #expect(all.contains { $0.hasPassword == true })
        let before = try await client.restore()
        let after = try await client.removeMethod("apple")
        expectEqual(after.id, before?.id)
        try await expectEqual(client.methods().contains { $0.method == "apple" }, false)
        let export = try await client.export()
        #expect(String(decoding: export.content, as: UTF8.self).contains("ada@example.com"))
        try await expectEqual(client.audit().content.isEmpty, false)
    }

    @Test func `the client signs up, signs in and steps up with passkeys, and lists them`()
        async throws
    {
        let server = try DeployedServer(
            parameters: ["PasskeyRpId=example.org", "PasskeyOrigins=https://example.org"])
        var authenticator = try TestAuthenticator()
        let store = MemoryStore()
        let client = try server.client(store: store)
        let ceremony = try await client.passkeyOptions(for: .signUp(name: "Ada"))
        let session = try await client.signUp(
            authenticator.register(ceremony), name: "Key", device: Device(name: "Laptop"))
        try await expectEqual(client.sessions().map(\.device?.name), ["Laptop"])
        let passkeys = try await client.passkeys()
        let passkey = try #require(passkeys.first)
        expectEqual(passkey.name, "Key")
        let renamed = try await client.renamePasskey(id: passkey.id, to: "Other key")
        expectEqual(renamed.map(\.name), ["Other key"])
        let proof = try await client.stepUp(
            .passkey(authenticator.sign(try await client.passkeyOptions(for: .stepUp))))
        expectEqual(proof.strength, "phr")
        _ = await client.signOut()

        let options = try await client.passkeyOptions(for: .signIn)
        let answer = try authenticator.sign(options)
        let again = try await client.signIn(answer, device: Device(name: "Phone"))
        expectEqual(again.session?.user?.id, session.user?.id)
        try await expectEqual(client.sessions().map(\.device?.name), ["Phone"])
        // A response is good once.
        await #expect(throws: AuthError.self) { _ = try await client.signIn(answer) }
        let last = try await refusal { try await client.removePasskey(id: passkey.id) }
        expectEqual(last.code, "LAST_METHOD", "\(last)")
    }

    @Test func `DPoP: tokens are useless without the key`() async throws {
        let server = try DeployedServer(parameters: ["Dpop=required"])
        let store = MemoryStore()
        let key = try TestProofKey()
        let client = try server.client(store: store) { $0.proofKey = key }
        _ = try await client.signIn(try await server.credential())
        try await expectEqual(client.validToken().type, "DPoP")
        try await expectEqual(client.profile().user.email, "ada@example.com")
        let token = try await client.validToken(minimumLife: .seconds(5000))
        try await expectEqual(client.profile().authProviders, ["google"])
        // A thief with the store, and with their own key.
        let other = try TestProofKey()
        let thief = try server.client(store: store) { $0.proofKey = other }
        await #expect(throws: AuthError.self) { _ = try await thief.profile() }
        let keyless = try server.client(store: store)
        await #expect(throws: AuthError.self) { _ = try await keyless.profile() }
        // Neither has ended the session.
        try await expectEqual(client.validToken().value, token.value)
        try await expectEqual(client.profile().user.email, "ada@example.com")
        await expectEqual(client.signOut(), SignOutResult())
    }

    /// Faults of the emulator: the answer of a refresh is lost, then the server is out of order.
    @Test func `the client survives lost answers and outages`() async throws {
        let server = try DeployedServer()
        let client = try server.client()
        _ = try await client.signIn(try await server.credential())
        let content = try server.url.appending(path: "auth/me")
        for fault: [String: Any] in [
            [
                "match": ["service": "dynamodb", "operation": "PutItem", "contains": "USER#"],
                "effect": "lose", "answer": "reset", "count": 1,
            ],
            ["match": ["service": "dynamodb"], "effect": "throttle", "count": 3],
        ] {
            _ = try await client.validToken(minimumLife: .seconds(5000))
            _ = try await server.control("POST", "/_emulator/faults", fault)
            _ = try? await client.validToken(minimumLife: .seconds(5000))
            try await expectEqual(
                client.validToken(minimumLife: .seconds(5000)).value.isEmpty, false)
            try await expectEqual(client.send(HTTPRequest("GET", content)).status, 200)
        }
    }

    /// The server's error response.
    private func refusal(_ body: () async throws -> Void) async throws -> Refusal {
        do {
            try await body()
        } catch AuthError.refused(let refusal) {
            return refusal
        }
        return try #require(nil, "it was not refused")
    }
}
