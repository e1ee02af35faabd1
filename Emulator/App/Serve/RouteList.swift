internal import EmulatorGateway

/// The routes of a template, with their local URLs.
struct RouteList {
    struct Row {
        let method: String
        /// nil for the default route.
        let path: String?
        let text: String
        let function: String
        /// `routeKey` of the events; nil for a REST API, whose events have none.
        let key: String?
    }

    let rows: [Row]
    /// Whether a route matches a request for `/`.
    let hasRoot: Bool

    init(_ template: Template) {
        var rows = template.routes.map { listed in
            let prefix = listed.hidden == nil ? "" : "\(Gateway.apiPrefix)\(listed.api.id)"
            let path = listed.route.pattern.map { prefix + $0.text }
            let method = listed.route.method ?? "ANY"
            return Row(
                method: method, path: path, text: "\(method) \(path ?? "\(prefix)/*")",
                function: listed.route.function.text,
                key: listed.api.kind == .http ? listed.route.key : nil)
        }
        rows += template.functions.filter { $0.url != nil }.map { function in
            let path = "\(FunctionURLPath.prefix)\(function.name)/"
            return Row(
                method: "ANY", path: path, text: "ANY \(path)", function: function.name.text,
                key: API.defaultStage)
        }
        self.rows = rows
        hasRoot = template.routes.contains { $0.route.pattern?.segments.isEmpty ?? true }
    }
}
