internal import EmulatorServer
internal import JSON

/// How somebody is told that a request will not do: on a page, or in JSON where that was asked
/// for.
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
                <h1>\(issuer.title) refuses the request</h1>
                <p class="problem" role="alert"><code>\(code)</code><br>\(text)</p>
                <p class="soft">This is about the app’s request, and nothing that you did.</p>
                """)
        return .page(page.html, status: status)
    }
}
