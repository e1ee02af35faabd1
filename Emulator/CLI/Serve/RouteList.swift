internal import EmulatorGateway
internal import EmulatorTemplate

/// The routes of a template, as they are reached on this machine.
struct RouteList {
    struct Row {
        let method: String
        /// nil for the default route.
        let path: String?
        let text: String
        let function: String
    }

    let rows: [Row]
    /// Whether a request for `/` is a route's.
    let hasRoot: Bool

    init(_ template: Template) {
        let isAlone = template.apis.count == 1
        var rows = template.apis.flatMap { api in
            api.routes.map { route in
                let prefix = isAlone ? "" : "\(Gateway.apiPrefix)\(api.logicalID)"
                let path = route.pattern.map { prefix + $0.text }
                let method = route.method ?? "ANY"
                return Row(
                    method: method, path: path, text: "\(method) \(path ?? "\(prefix)/*")",
                    function: route.function.text)
            }
        }
        rows += template.functions.filter { $0.url != nil }.map { function in
            let path = "\(FunctionURLPath.prefix)\(function.name)/"
            return Row(
                method: "ANY", path: path, text: "ANY \(path)", function: function.name.text)
        }
        self.rows = rows
        hasRoot =
            isAlone
            && template.apis.contains { api in
                api.routes.contains { $0.pattern?.segments.isEmpty ?? true }
            }
    }
}
