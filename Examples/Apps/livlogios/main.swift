// Livlogios at the command line: a journal.
import AppSupport
import Foundation
import LatchkeyClient
import LatchkeyContracts

let device = DemoDevice.current
let emulator = Emulator(device.server)
#if canImport(Security)
    let store = KeychainStore(service: "net.avalarin.livlogios")
#else
    let store = FileStore(folder: device.folder("session"))
#endif
let journal = Journal(client: device.client(.livlogios, store: store))
let client = journal.client
let disturbances = Disturbances(device, client, store)
let password = "Correct-horse-7"

func request(of person: String, fault: String? = nil) async throws -> AppleAuthRequest {
    AppleAuthRequest(identityToken: try await emulator.identityToken(of: person, fault: fault))
}

func show(_ session: ClientSession?) { print("signed in: \(session?.user?.displayName ?? "?")") }

/// Prints errors as texts for users.
@MainActor func report(_ work: @MainActor () async throws -> Void) async throws {
    do {
        try await work()
    } catch ClientError.signedOut {
        print("please sign in")
    } catch ClientError.signInAgain {
        print("please sign in again")
    } catch ClientError.refused(let refusal) {
        print("refused: \(refusal.status) \(refusal.code ?? "")")
    }
}

do {
    let session = try await client.launch(
        former: FormerVersion.tokens, remove: FormerVersion.removeTokens)
    print(session == nil ? "signed out" : "signed in")
} catch {
    print(error)
}

await CommandLoop.run { command, words in
    switch (command, words.first) {
    case ("first", let person?):
        var wanted = try await request(of: person)
        wanted.fullName = PersonNameComponents()
        wanted.fullName?.givenName = person.capitalized
        wanted.fullName?.familyName = "Lovelace"
        wanted.email = "\(person)@example.com"
        show(try await journal.signIn(wanted))
    case ("again", let person?):
        let wanted = try await request(of: person, fault: words.dropFirst().first)
        try await report { show(try await journal.signIn(wanted)) }
    case ("replay", let person?):
        let wanted = try await request(of: person)
        for _ in 1...2 { try await report { show(try await journal.signIn(wanted)) } }
    case ("register", let address?):
        print(try await client.register(email: address, password: password).message ?? "")
    case ("verify", let address?):
        let link = try await emulator.link(to: address)
        let query = URLComponents(string: link)?.queryItems
        let token = query?.first { $0.name == "token" }?.value ?? ""
        show(try await client.verifyEmail(.token(token), password: password))
    case ("login", let address?):
        try await report {
            show(
                try await client.logIn(
                    email: address, password: words.dropFirst().first ?? password
                ).session)
        }
    case ("me", nil):
        try await report {
            let profile = try await client.profile()
            print("\(profile.user.displayName ?? "?"), by \(profile.authProviders)")
        }
    case ("write", nil): try await report { try await journal.write("") }
    case ("write", let text?): try await report { try await journal.write(text) }
    case ("entries", nil):
        try await report { print(try await journal.entries().joined(separator: ", ")) }
    case ("withdraw", let person?):
        try await emulator.withdrawConsent(
            of: person, notifying: "api/v1/auth/apple/notifications")
    case ("delete", nil): try await report { try await client.deleteAccount() }
    case ("out", nil):
        let result = await client.signOut()
        print(result.serverError.map { "the server: \($0)" } ?? "signed out")
    case ("former", let person?):
        try await FormerVersion.signIn(try await request(of: person), at: device.server)
    case ("keychain", nil):
        try KeychainManager.save(accessToken: "one")
        try KeychainManager.save(accessToken: "two")
        print(try KeychainManager.get(key: "accessToken") ?? "none")
        try KeychainManager.delete(key: "accessToken")
        try KeychainManager.delete(key: "accessToken")
        print(try KeychainManager.get(key: "accessToken") ?? "none")
    case ("keys", nil):
        for key in ["accessToken", "refreshToken"] {
            print("\(key): \(try KeychainManager.get(key: key) == nil ? "none" : "stored")")
        }
    case ("readonly", nil):
        try KeychainManager.save(accessToken: "one")
        #if !canImport(Security)
            let folder = device.folder("net.avalarin.livlogios")
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            do {
                try KeychainManager.save(accessToken: "two")
                print("saved")
            } catch {
                print("not saved")
            }
            try FileManager.default.removeItem(at: folder)
        #endif
    default: try await disturbances.perform(command, words)
    }
}
