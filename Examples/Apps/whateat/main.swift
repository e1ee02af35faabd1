// WhatEat at the command line: a user's meals.
import AppSupport
import Foundation
import LatchkeyClient
import LatchkeyContracts

let device = DemoDevice.current
let emulator = Emulator(device.server)
#if canImport(Security)
    let store = KeychainStore(service: "WhatEat")
#else
    let store = FileStore(folder: device.folder("session"))
#endif
let client = device.client(.whateat, store: store)
let manager = AuthManager(client: client)
let disturbances = Disturbances(device, client, store)

struct Meals: Decodable {
    struct Meal: Decodable { let name: String }
    let meals: [Meal]
}

func meals() async throws -> String {
    let answer = try await manager.authenticatedRequest(path: "/meals")
    let list = try JSONDecoder().decode(Meals.self, from: answer)
    return list.meals.map(\.name).sorted().joined(separator: ", ")
}

do {
    let session = try await client.launch(
        former: FormerVersion.loadTokensFromKeychain, remove: FormerVersion.clearTokens)
    print(session == nil ? "signed out" : "signed in")
} catch {
    print(error)
}

await CommandLoop.run { command, words in
    switch (command, words.first) {
    case ("apple", let person?):
        let token = try await emulator.identityToken(of: person, fault: words.dropFirst().first)
        var name: PersonNameComponents? = PersonNameComponents()
        name?.givenName = person.capitalized
        await manager.handleAppleSignIn(idToken: token, fullName: name)
    case ("apple", nil):
        // Sends the same token a second time.
        let token = try await emulator.identityToken()
        for _ in 1...2 { await manager.handleAppleSignIn(idToken: token, fullName: nil) }
    case ("provider", let name?):
        let token = words.dropFirst().first ?? ""
        await manager.handleAppleSignIn(idToken: token, fullName: nil, provider: name)
    case ("eat", let name?):
        _ = try await manager.authenticatedRequest(
            path: "/meals", method: "POST", body: ["name": name])
    case ("meals", let times?):
        for answer in try await atOnce(Int(times) ?? 1, { try await meals() }) { print(answer) }
    case ("request", let path?):
        _ = try await manager.authenticatedRequest(path: path)
    case ("valid", nil):
        _ = try await manager.getValidAccessToken()
        print("valid")
    case ("remedy", let code?): print(Remedy(code: code)?.rawValue ?? "none")
    case ("out", nil): await manager.signOut()
    case ("former", let person?):
        let token = try await emulator.identityToken(of: person)
        let user = try await FormerVersion.signIn(idToken: token, at: device.server)
        print("\(user.email ?? "") since \(user.createdAt.prefix(2))…")
    case ("keys", nil):
        for key in ["accessToken", "refreshToken", "expiresAt"] {
            print("\(key): \(try KeychainHelper.load(key: key) == nil ? "none" : "stored")")
        }
    default: try await disturbances.perform(command, words)
    }
}
