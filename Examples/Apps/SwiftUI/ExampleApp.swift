// An app in SwiftUI, for iOS 17 and macOS 14. The beginning of docs/client.md says how to make an
// Xcode project of this folder.
import LatchkeyClient
import SwiftUI

@main
struct ExampleApp: App {
    @State private var model = SessionModel(
        client: LatchkeyClient(
            baseURL: Server.url, store: KeychainStore(service: "com.example.app"),
            options: Server.options))

    var body: some Scene {
        WindowGroup {
            RootView()
                .environment(model)
                .task { await model.restore() }
        }
    }
}

struct RootView: View {
    @Environment(SessionModel.self) private var model

    var body: some View {
        @Bindable var model = model
        NavigationStack {
            switch model.phase {
            case .restoring: ProgressView()
            case .signedIn(let session): AccountView(user: session.user)
            case .signedOut: SignInView(notice: nil)
            case .needsAttention(.signInAgain): SignInView(notice: "Please sign in again.")
            case .needsAttention(.storeUnreadable(let error)):
                VStack {
                    Text(error.localizedDescription)
                    Button("Try again") { Task { await model.restore() } }
                }
            }
        }
        .overlay { if model.isBusy { ProgressView() } }
        .alert("That did not work", isPresented: $model.isErrorShown) {
            Button("OK") { model.error = nil }
        } message: {
            Text(model.error?.localizedDescription ?? "")
        }
    }
}

extension SessionModel {
    fileprivate var isErrorShown: Bool {
        get { error != nil }
        set { if !newValue { error = nil } }
    }
}
