// news_app at the command line: content that a user has liked and read.
import AppSupport
import Foundation
import LatchkeyClient
import LatchkeyContracts

let device = DemoDevice.current
let emulator = Emulator(device.server)
#if canImport(Security)
    let store = KeychainStore(service: "news_app", accessibility: .whenUnlocked)
#else
    let store = FileStore(folder: device.folder("session"))
#endif
let client = device.client(.newsApp, store: store)
let keychain = KeychainManager()
let former = FormerVersion(keychain: keychain)
let disturbances = Disturbances(device, client, store)

@MainActor func viewModel(_ person: String, fault: String? = nil) -> AuthenticationViewModel {
    let service = AuthenticationService(client: client) {
        IdentityCredential(
            provider: "apple",
            idToken: try await emulator.identityToken(of: person, fault: fault),
            givenName: person.capitalized, familyName: "Lovelace",
            email: "\(person)@example.com")
    }
    return AuthenticationViewModel(service: service) {
        try await client.launch(former: former.tokens, remove: keychain.clearAll)
    }
}

/// Prints the state that the root view would show.
@MainActor func show(_ model: AuthenticationViewModel) {
    switch model.authState {
    case .loading: print("loading")
    case .unauthenticated: print("please sign in")
    case .authenticated(let user):
        print("content of \(user.fullName ?? "?"), number \(user.id), admin: \(user.isAdmin)")
    }
    if let message = model.errorMessage { print(message) }
}

/// Marks content, and prints its marks.
func mark(_ number: String, _ what: String) async throws -> String {
    let url = client.baseURL.appending(path: "api/content/\(number)/\(what)")
    let answer = try await client.send(HTTPRequest("POST", url))
    return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
}

let model = viewModel("ada")
show(model)
await model.checkAuthStatus().value
show(model)

await CommandLoop.run { command, words in
    switch (command, words.first) {
    case ("apple", let person?):
        let model = viewModel(person, fault: words.dropFirst().first)
        let task = model.signInWithApple()
        show(model)
        await task.value
        show(model)
    case ("check", nil):
        await model.checkAuthStatus().value
        show(model)
    case ("logout", nil):
        await model.logout().value
        show(model)
    case ("refresh", nil):
        let service = AuthenticationService(client: client) { throw CancellationError() }
        print(try await service.refreshAccessToken().isEmpty ? "nothing" : "an access token")
    case ("favorite", let number?): print(try await mark(number, "favorite"))
    case ("read", let number?):
        for line in try await atOnce(20, { try await mark(number, "read") }) { print(line) }
    case ("former", let person?):
        let token = try await emulator.identityToken(of: person)
        try await former.signIn(
            idToken: token, email: "\(person)@example.com",
            fullName: "\(person.capitalized) Hopper",
            at: device.server)
    case ("keychain", nil):
        for token in ["one", "two"] { try keychain.saveToken(token, key: "accessToken") }
        print(try keychain.getToken(key: "accessToken") ?? "none")
        try keychain.deleteToken(key: "accessToken")
        print(try keychain.getToken(key: "accessToken") ?? "none")
        for key in KeychainManager.keys { try keychain.saveToken("x", key: key) }
        try keychain.clearAll()
        print(try KeychainManager.keys.compactMap { try keychain.getToken(key: $0) }.count)
    case ("keys", nil):
        for key in KeychainManager.keys {
            print("\(key): \(try keychain.getToken(key: key) == nil ? "none" : "stored")")
        }
    default: try await disturbances.perform(command, words)
    }
}
