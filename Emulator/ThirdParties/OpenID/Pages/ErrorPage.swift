internal import EmulatorBase
internal import HTML
internal import JSON

/// Error responses to browsers: a page, or JSON if the request asks for it.
struct ErrorPage {
    private let isJSON: Bool

    init(_ request: ServerRequest) {
        let accepts = request.header("accept") ?? ""
        isJSON = accepts.utf8.starts(with: "application/json".utf8)
    }

    func response(
        _ status: Int, _ code: String, _ text: String, issuer: IssuerDefinition
    ) -> ServerResponse {
        guard !isJSON else {
            return .json(
                ["error": .string(code), "error_description": .string(text)], status: status)
        }
        let page = PageFrame(
            title: "Sign-in error",
            content: """
                <h1>\(issuer.title) rejected the request</h1>
                <p class="problem" role="alert"><code>\(code)</code><br>\(text)</p>
                <p class="soft">The app sent an invalid request.</p>
                """)
        return .page(page.html, status: status)
    }
}
