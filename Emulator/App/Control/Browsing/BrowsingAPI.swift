internal import EmulatorBase
internal import EmulatorLambda
internal import JSON

/// The contents of the emulator's stores, for people and scripts:
///
///     GET  /_emulator/tables               the tables: key schema, number of items GET
///     /_emulator/tables/T/items       items, or the one with ?key=, in DynamoDB's JSON GET
///     /_emulator/buckets              the buckets GET  /_emulator/buckets/B/objects    objects,
///     without their content GET  /_emulator/buckets/B/preview    the beginning of the object ?key=
///     GET  /_emulator/sessions             the sessions of Latchkey's functions POST
///     /_emulator/tokens/explain       each check of a token
struct BrowsingAPI: Sendable {
    let services: EmulatorServices

    static func serves(_ first: String) -> Bool {
        ["tables", "buckets", "sessions", "tokens"].contains(first)
    }

    /// `path` is the path below `/_emulator/`. It runs on its own thread, so that other requests
    /// are served while a store is read, and because keys may be fetched from this same server.
    func handle(_ request: ServerRequest, _ path: [String], _ slot: ResponseSlot) {
        let isStarted = BackgroundThread.run { slot.respondAlways(answer(request, path)) }
        if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
    }

    private func answer(_ request: ServerRequest, _ path: [String]) -> ServerResponse {
        let tables = TableBrowser(service: services.tables, traces: services.traces)
        let objects = ObjectBrowser(store: services.objects)
        do throws(BrowsingFailure) {
            switch (request.method, path.first ?? "", path.count) {
            case ("GET", "tables", 1): return .json(try tables.tables(try PageRequest(request)))
            case ("GET", "tables", 3) where path[2] == "items":
                let page = try PageRequest(request, takesKey: true)
                return .json(try tables.items(of: path[1], page))
            case ("GET", "buckets", 1): return .json(try objects.buckets(try PageRequest(request)))
            case ("GET", "buckets", 3) where path[2] == "objects":
                let page = try PageRequest(request, takesPrefix: true)
                return .json(try objects.objects(of: path[1], page))
            case ("GET", "buckets", 3) where path[2] == "preview":
                return try ObjectPreview(store: services.objects).response(path[1], request)
            case ("GET", "sessions", 1):
                let browser = SessionBrowser(LatchkeyFunctions(services))
                return .json(try browser.sessions(try PageRequest(request)))
            case ("POST", "tokens", 2) where path[1] == "explain":
                return .json(try services.explain(try TokenQuestion(request.body)))
            default:
                return .error(404, "Not found: \(request.method) \(request.path)")
            }
        } catch {
            return .error(error.status, error.message)
        }
    }
}

/// Why content cannot be shown.
struct BrowsingFailure: Error {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}
