import AppSupport
import Foundation
import LatchkeyClient

#if canImport(Combine)
    import Combine
#else
    protocol ObservableObject: AnyObject {}

    /// Replaces SwiftUI's `@Published` where there is no SwiftUI. It has no observers.
    @propertyWrapper struct Published<Value> {
        var wrappedValue: Value
    }
#endif

enum AuthState {
    case unauthenticated
    case authenticated(User)
    case loading
}

@MainActor
class AuthenticationViewModel: ObservableObject {
    @Published var authState: AuthState = .loading
    @Published var errorMessage: String?
    private let service: AuthenticationService
    private let launch: @Sendable () async throws -> ClientSession?

    /// - Parameter launch: reads the stored session.
    init(
        service: AuthenticationService,
        launch: @escaping @Sendable () async throws -> ClientSession?
    ) {
        self.service = service
        self.launch = launch
    }

    /// Returns a task for callers that wait for the outcome. Views ignore it.
    @discardableResult func signInWithApple() -> Task<Void, Never> {
        authState = .loading
        return Task {
            await enter { [service] in try await service.signInWithApple() }
        }
    }

    /// Called at launch: shows the stored session if the server still accepts it.
    @discardableResult func checkAuthStatus() -> Task<Void, Never> {
        Task {
            await enter { [service, launch] in
                try await launch() == nil ? nil : try await service.getCurrentUser()
            }
        }
    }

    @discardableResult func logout() -> Task<Void, Never> {
        Task {
            await service.logout()
            authState = .unauthenticated
        }
    }

    private func enter(_ work: @Sendable () async throws -> User?) async {
        errorMessage = nil
        do {
            authState = try await work().map { .authenticated($0) } ?? .unauthenticated
        } catch let error as ClientError where error.isTransient {
            // The user stays signed in, and the app tries again.
            errorMessage = "Please try again: \(error)"
        } catch ClientError.refused(let refusal) {
            authState = .unauthenticated
            errorMessage = refusal.message
        } catch {
            authState = .unauthenticated
            errorMessage = "Please sign in"
        }
    }
}
