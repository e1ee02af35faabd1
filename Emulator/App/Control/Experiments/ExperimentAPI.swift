internal import Bytes
internal import EmulatorBase
internal import EmulatorLambda
internal import JSON

/// Experiments with the refresh of a new session:
///
///     GET  /_emulator/experiments            the presets
///     POST /_emulator/experiments/{preset}   runs one, and answers with its result
struct ExperimentAPI: Sendable {
    static let place = "experiments"

    let services: EmulatorServices

    func handle(_ request: ServerRequest, _ path: [String], _ slot: ResponseSlot) {
        switch (request.method, path.count) {
        case ("GET", 1):
            slot.respondAlways(
                .json([
                    "presets": .array(
                        RefreshPreset.allCases.map {
                            ["name": .string($0.rawValue), "summary": .string($0.summary)]
                        })
                ]))
        case ("POST", 2):
            guard
                let preset = RefreshPreset.allCases.first(where: {
                    $0.rawValue.isSame(as: path[1])
                })
            else {
                let known = RefreshPreset.allCases.map(\.rawValue).joined(separator: ", ")
                return slot.respondAlways(
                    .error(404, "Experiment not found: \(path[1]). Experiments: \(known)."))
            }
            // This runs on its own thread, because it sends requests to this server and waits for
            // them.
            let isStarted = BackgroundThread.run { slot.respondAlways(result(of: preset)) }
            if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
        default: slot.respondAlways(.error(404, "Not found: \(request.method) \(request.path)"))
        }
    }

    private func result(of preset: RefreshPreset) -> ServerResponse {
        do throws(ExperimentFailure) {
            return .json(
                try RefreshExperiment(ExperimentClient(services: services), preset).run())
        } catch {
            return .error(409, error.message)
        }
    }
}
