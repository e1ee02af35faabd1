internal import Contracts
internal import HTML

/// A form of a page, sent to this origin.
struct PageForm {
    let page: PageName
    let button: PageText
    var fields: [PageField] = []
    /// Hidden fields of the form.
    var hidden: [(name: String, value: String)] = []
    /// The button's label, on a page with several.
    var action: String?
    var isMain = true
    /// Whether the button looks like the links beside it.
    var isLink = false
    /// Whether the form removes something.
    var isDanger = false
    var label: String?
    /// The ID, for buttons outside of the form.
    var id: String?
    /// The content after the button.
    var more = HTML()

    var asksForPassword: Bool { fields.contains(where: \.isSecret) }
}

extension PageRequest {
    /// A page of forms, with its texts, links and problem.
    func show(
        _ title: PageText, _ problem: PageProblem?, about: [String] = [],
        before: HTML = "", _ forms: [PageForm] = [], after: HTML = "",
        links: [(page: PageName, text: PageText)] = [(.signIn, .signInBack)]
    ) -> Answer {
        // Recovery codes have a separate form below.
        let isAtField =
            problem?.field == "recoveryCode"
            || forms.contains { $0.fields.contains { $0.name == problem?.field } }
        var body: HTML = "<h1>\(texts(title))</h1>\n"
        if let problem, !isAtField {
            body.append("<p class=\"says bad\" role=\"alert\">\(problem.html(texts))</p>\n")
        } else if problem == nil {
            body.append(notice)
        }
        if forms.contains(where: \.asksForPassword) { body.append(plainNote) }
        for line in about { body.append("<p class=\"soft\">\(line)</p>\n") }
        body.append(before)
        for form in forms { body.append(html(form, problem)) }
        body.append(after)
        if !links.isEmpty {
            body.append("<p class=\"links\">\(HTML(joining: links.map { link($0, $1) }))</p>")
        }
        return answer(title: title, body)
    }

    func html(_ form: PageForm, _ problem: PageProblem? = nil) -> HTML {
        var content = HTML()
        for (name, value) in [(name: "form", value: formToken)] + form.hidden {
            content.append("<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n")
        }
        for var field in form.fields {
            // The focus invites people to type. A field with a problem gets it, or else the first
            // field.
            if problem?.field != nil || form.asksForPassword && isPlain { field.isFirst = false }
            content.append(field.html(texts, problem))
            if field.isSecret { usesScript = true }
        }
        content.append(button(form))
        let id: HTML = form.id.map { " id=\"\($0)\"" } ?? ""
        return """
            <form\(id) method="post" action="\(address(form.page))" accept-charset="utf-8">
            \(content)\(form.more)</form>

            """
    }

    private func button(_ form: PageForm) -> HTML {
        let classes =
            (form.isMain ? ["main"] : []) + (form.isDanger ? ["danger"] : [])
            + (form.isLink ? ["link"] : [])
        let main: HTML =
            classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\""
        let action: HTML = form.action.map { " name=\"action\" value=\"\($0)\"" } ?? ""
        let label: HTML = form.label.map { " aria-label=\"\($0)\"" } ?? ""
        return "<button\(main)\(action)\(label)>\(texts(form.button))</button>\n"
    }

    func link(_ page: PageName, _ text: PageText) -> HTML {
        "<a href=\"\(linkedAddress(page))\">\(texts(text))</a>"
    }

    /// A disclosure element.
    func details(_ summary: PageText, isOpen: Bool = false, _ content: HTML) -> HTML {
        """
        <details\(isOpen ? " open" : "")><summary>\(texts(summary))</summary>\(content)</details>

        """
    }

    /// The notice about the request before the redirect to this page.
    var notice: HTML {
        guard let notice = query("notice").flatMap(PageNotice.init(rawValue:)) else { return "" }
        return "<p class=\"says\" role=\"status\">\(texts(notice.text))</p>\n"
    }
}
