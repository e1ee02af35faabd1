internal import EmulatorBase
internal import HTML

/// OAuth 2.0 Form Post Response Mode: a form that submits itself, or by its button.
struct FormPostPage {
    let action: String
    let fields: [(String, String)]
    let scriptNonce: String

    var html: HTML {
        let inputs = fields.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
        }
        return PageFrame(
            title: "Back to the app",
            content: """
                <h1>Back to the app</h1>
                <p class="soft">If nothing happens, continue by hand.</p>
                <form method="post" action="\(action)">
                \(HTML(joining: inputs))<div class="actions">
                <button class="main">Continue</button>
                </div>
                </form>
                <script nonce="\(scriptNonce)">document.forms[0].submit()</script>
                """
        ).html
    }
}
