// Shell at the command line: items that require a sign-in.
import AppSupport
import Foundation
import LatchkeyClient
import LatchkeyContracts

let device = DemoDevice.current
let emulator = Emulator(device.server)
#if canImport(Security)
    let store = KeychainStore(
        service: "com.adamcodertrader.Shell", accessibility: .whenUnlockedThisDeviceOnly)
#else
    let store = FileStore(folder: device.folder("session"))
#endif
let client = device.client(.shell, store: store)
let repository = KeychainSessionRepository(folder: device.folder("keychain"))
let former = FormerVersion(repository: repository, clock: device.clock)
let http = HTTPLayer(
    base: device.server, interceptor: AuthRequestInterceptor(authHTTPClient: client),
    network: device.network)
let links = DeepLinkCoordinator(authUseCase: AuthUseCase(authHTTPClient: client))
let disturbances = Disturbances(device, client, store)
let password = "Correct-horse-7"

/// Prints where the app navigates: to its items or to the login.
func route(_ isSignedIn: Bool) { print(isSignedIn ? "→ items" : "→ login") }

func items() async throws -> String {
    struct Items: Decodable {
        struct Item: Decodable { let name: String }
        let items: [Item]
    }
    let list = try JSONDecoder().decode(Items.self, from: try await http.data("v1/items"))
    return list.items.isEmpty ? "no items" : list.items.map(\.name).joined(separator: ", ")
}

/// Prints errors as texts for users.
@MainActor func report(_ work: @MainActor () async throws -> Void) async {
    do {
        try await work()
    } catch let error as RefusedRequest {
        print("status \(error.status)")
    } catch let error as AuthError {
        print(error.localizedDescription)
    } catch {
        print(error)
    }
}

await report {
    let session = try await client.launch(
        former: former.tokens, remove: { try await repository.clearSession() })
    route(session != nil)
}

await CommandLoop.run { command, words in
    switch (command, words.first) {
    case ("register", let address?):
        print(try await client.register(email: address, password: password).message ?? "")
    case ("login", let address?):
        await report {
            try await LoginUseCase(authHTTPClient: client).execute(
                email: address, password: words.dropFirst().first ?? password)
            route(true)
        }
    case ("logout", nil):
        await LogoutUseCase(authHTTPClient: client).execute()
        route(false)
    case ("refresh", nil):
        await report { try await RefreshSessionUseCase(authHTTPClient: client).execute() }
    case ("add", let name?):
        await report {
            let body = try JSONEncoder().encode(["name": name])
            _ = try await http.data("v1/items", method: "POST", body: body)
        }
    case ("items", let times):
        await report {
            for line in try await atOnce(Int(times ?? "") ?? 1, { try await items() }) {
                print(line)
            }
        }
    case ("request", let path?): await report { _ = try await http.data(path) }
    case ("mail", let address?): _ = try await client.requestLink(email: address)
    case ("open", let link?):
        await report {
            let opened = link.contains("@") ? try await emulator.link(to: link) : link
            guard let url = URL(string: opened) else { return }
            print(url.scheme ?? "", url.host() ?? "", url.path())
            if try await links.handleDeepLink(url) { route(true) } else { print("ignored") }
        }
    case ("former", let address?):
        await report {
            try await former.logIn(email: address, password: password, at: device.server)
            let left = try await repository.getSession()?.expiresAt
                .timeIntervalSince(device.clock.now())
            print("ends in \(Int(((left ?? 0) / 60).rounded())) minutes")
        }
    case ("repository", nil):
        await report {
            let end = Date(timeIntervalSince1970: 1_800_000_000)
            for token in ["one", "two"] {
                try await repository.saveSession(
                    accessToken: token, refreshToken: "r-\(token)", expiresAt: end)
            }
            let kept = try await repository.getSession()
            print(kept?.accessToken ?? "", kept?.refreshToken ?? "", kept?.expiresAt == end)
            try await repository.clearSession()
            print(try await repository.getSession() == nil ? "cleared" : "kept")
        }
    case ("kept", nil): print(try await repository.getSession() == nil ? "nothing" : "a session")
    case ("errors", nil):
        let errors: [AuthError] = [
            .invalidCredentials, .networkError(TryAgain()), .tokenExpired, .noRefreshToken,
            .refreshFailed, .keychainError(-25308), .invalidResponse,
        ]
        for error in errors { print(error.localizedDescription) }
    default: try await disturbances.perform(command, words)
    }
}
