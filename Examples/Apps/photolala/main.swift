// Photolala at the command line: a user's photos.
import AppSupport
import Foundation
import LatchkeyClient

let device = DemoDevice.current
let emulator = Emulator(device.server)
let environment = ProcessInfo.processInfo.environment
let bucket = environment["PHOTOS_BUCKET"] ?? "photos"
let browser = EmulatorBrowser()
let configuration = GoogleOAuthConfiguration(
    emulatorAt: device.server, clientID: "client.apps.googleusercontent.com",
    redirectURI: "photolala://oauth/callback")
let coordinator = GoogleSignInCoordinator(
    configuration: configuration, web: browser, transport: device.network, clock: device.clock)
guard
    let aws = AWSCall(
        // The emulator checks signatures by this machine's clock, even after `wait`.
        environment: environment, transport: device.network, clock: SystemClock())
else { fatalError("AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed") }
let account = AccountManager(
    coordinator: coordinator, aws: aws, vault: SessionVault(device: device),
    clock: device.clock)

func show(_ user: PhotolalaUser?) async {
    guard let user else { return print("please sign in") }
    let from = user.googleUserID == nil ? "Apple" : "Google"
    print("\(user.displayName) of \(from), signed in: \(await account.isSignedIn)")
}

/// Prints errors as texts for users and for developers.
@MainActor func report(_ work: @MainActor () async throws -> Void) async {
    do {
        try await work()
    } catch let error as GoogleSignInError {
        print("\(error): \(error.localizedDescription)")
    } catch let error as SignInRefused {
        print("refused: \(error.error.code)")
    } catch {
        print(error)
    }
}

await report { await show(try await account.restoreSession()) }

await CommandLoop.run { command, words in
    switch (command, words.first) {
    case ("google", let person?):
        await browser.choose(
            person == "cancel" ? person : "\(person)@example.com",
            words.dropFirst().first.flatMap(EmulatorBrowser.Attack.init))
        await report { await show(try await account.signInWithGoogle()) }
    case ("apple", let person?):
        let token = try await emulator.identityToken(
            of: person, fault: words.dropFirst().first)
        await report { await show(try await account.signIn(idToken: token, provider: "apple")) }
    case ("credential", let person?):
        await browser.choose("\(person)@example.com")
        await report {
            let credential = try await coordinator.performSignIn()
            let claims = credential.claims
            print(credential, claims.email ?? "", claims.audience, claims.nonce != nil)
            let response = TokenResponse(
                idToken: credential.idToken, accessToken: "a", refreshToken: nil, expiresIn: 1)
            print(response, await account.stsCredentials.map { "\($0)" } ?? "no credentials")
        }
    case ("verify", let fault?):
        // `none` has no fault, `late` expires in two hours, `several` is for another client first.
        let id = configuration.clientID
        let token = try await emulator.identityToken(
            "google", nonce: "n-1", audiences: fault == "several" ? ["another", id] : nil,
            expiresIn: fault == "late" ? 7200 : nil,
            fault: ["none", "late", "several"].contains(fault) ? nil : fault)
        await report {
            let verified = try await coordinator.verifier.verify(
                token, nonce: words.dropFirst().first ?? "n-1", at: device.clock.now())
            print("verified: \(verified.claims.audience)")
        }
    case ("put", let name?):
        await report {
            guard let (storage, user) = try await account.storage() else { return await show(nil) }
            let owner = words.dropFirst().first ?? user.id.uuidString.lowercased()
            let answer = try await storage.send(
                "s3", .put, "\(bucket)/users/\(owner)/\(name)", Data("jpeg".utf8))
            print("status \(answer.status)")
        }
    case ("get", let name?):
        await report {
            guard let (storage, user) = try await account.storage() else { return await show(nil) }
            let path = "\(bucket)/users/\(user.id.uuidString.lowercased())/\(name)"
            let answer = try await storage.send("s3", .get, path)
            print("status \(answer.status), \(answer.body.count) bytes")
        }
    case ("out", nil):
        await report {
            try await account.signOut()
            await show(nil)
        }
    case ("stored", nil):
        await report { print(try await account.restoreSession() == nil ? "nothing" : "a session") }
    case ("rotate", nil): try await emulator.rotateKey(of: "google")
    case ("replay", let person?):
        let token = try await emulator.identityToken(of: person)
        for _ in 1...2 {
            await report { await show(try await account.signIn(idToken: token, provider: "apple")) }
        }
    case ("wait", let minutes?):
        let time = Duration.seconds((Double(minutes) ?? 0) * 60)
        device.clock.move(by: time)
        try await emulator.moveClock(by: time)
    case ("offline", nil): await device.network.setOffline(true)
    case ("online", nil): await device.network.setOffline(false)
    case ("keys", nil):
        for line in await device.network.takeCounts() where line.contains("certs") { print(line) }
    default: throw CommandLoop.UnknownCommand()
    }
}
