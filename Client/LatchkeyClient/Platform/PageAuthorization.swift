#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    /// Shows a page in the system's browser, and waits for the redirect back to the app.
    ///
    /// The app does not have to register the scheme. An `https` address to return to needs iOS 17.4
    /// or macOS 14.4, and the associated domain `webcredentials:`.
    @MainActor
    public final class PageAuthorization: NSObject,
        ASWebAuthenticationPresentationContextProviding
    {
        private typealias Outcome = Result<URL, AuthError>

        private let anchor: ASPresentationAnchor
        private let prefersEphemeralSession: Bool
        private var waiter: CheckedContinuation<Outcome, Never>?
        private var session: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - anchor: the window of the browser.
        ///   - prefersEphemeralSession: whether the browser uses cookies of its own, which are
        ///     deleted afterwards. The user then has to sign in on the page, and the system does
        ///     not ask for permission.
        public init(anchor: ASPresentationAnchor, prefersEphemeralSession: Bool = false) {
            self.anchor = anchor
            self.prefersEphemeralSession = prefersEphemeralSession
        }

        /// Opens a page, and returns the URL that the browser is redirected to. Throws `cancelled`
        /// if the user has closed the browser.
        ///
        /// - Parameters:
        ///   - page: the first page.
        ///   - address: the address that the pages redirect to, without the parameters that they
        ///     add.
        public func open(_ page: URL, returnTo address: String) async throws(AuthError) -> URL {
            guard waiter == nil else { throw .unsupported("two sheets at once") }
            let session = try session(page, address)
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = prefersEphemeralSession
            self.session = session
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiter = continuation
                    if !session.start() { end(.failure(.unsupported("the system's browser"))) }
                }
            } onCancel: {
                // This task is unstructured, because it only closes the browser.
                Task { @MainActor in
                    self.session?.cancel()
                    self.end(.failure(.cancelled))
                }
            }
            return try outcome.get()
        }

        private func session(
            _ page: URL, _ address: String
        ) throws(AuthError) -> ASWebAuthenticationSession {
            guard let parts = URLComponents(string: address), let scheme = parts.scheme else {
                throw .unsupported("the address to return to")
            }
            // The system calls this on any thread. A closure of the main actor would crash the app.
            let report = { @Sendable (url: URL?, error: (any Error)?) in
                let outcome = url.map { .success($0) } ?? Outcome.failure(Self.reason(error))
                Task { @MainActor in self.end(outcome) }
                return ()
            }
            guard scheme == "https" else {
                return ASWebAuthenticationSession(
                    url: page, callbackURLScheme: scheme, completionHandler: report)
            }
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *), let host = parts.host else {
                throw .unsupported("an https address to return to, before iOS 17.4")
            }
            return ASWebAuthenticationSession(
                url: page, callback: .https(host: host, path: parts.path),
                completionHandler: report)
        }

        private nonisolated static func reason(_ error: (any Error)?) -> AuthError {
            switch (error as? ASWebAuthenticationSessionError)?.code {
            case .canceledLogin: .cancelled
            case let code?:
                .unsupported("the browser: ASWebAuthenticationSessionError \(code.rawValue)")
            case nil: .unsupported("the browser")
            }
        }

        /// A browser that could not start may report its failure twice.
        private func end(_ outcome: Outcome) {
            waiter?.resume(returning: outcome)
            waiter = nil
            session = nil
        }

        public func presentationAnchor(
            for session: ASWebAuthenticationSession
        ) -> ASPresentationAnchor { anchor }
    }

    extension LatchkeyClient {
        /// Signs in on the server's pages, in the system's browser. Throws `cancelled` if the user
        /// has closed it.
        ///
        /// - Parameters:
        ///   - address: an address in the server's setting `UI_RETURN`, such as
        ///     `com.example.app:/signed-in`.
        ///   - page: the first page.
        ///   - anchor: the window of the browser.
        ///   - prefersEphemeralSession: see
        ///     ``PageAuthorization/init(anchor:prefersEphemeralSession:)``.
        @MainActor
        public func signInWithPage(
            returnTo address: String, page: PageSignIn.Page = .signIn,
            anchor: ASPresentationAnchor, prefersEphemeralSession: Bool = false
        ) async throws(AuthError) -> Session {
            let begun = try await beginPageSignIn(returnTo: address, page: page)
            let browser = PageAuthorization(
                anchor: anchor, prefersEphemeralSession: prefersEphemeralSession)
            return try await signIn(
                begun, callback: try await browser.open(begun.url, returnTo: address))
        }
    }
#endif
