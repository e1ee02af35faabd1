import BaseTestSupport
import Foundation

/// A function that does what its event or request body says: `Programs/function.py` of
/// EmulatorLambdaTests.
enum ScriptedFunction {
    private static let command =
        SystemPython.words + [
            RepositoryRoot.url.appending(path: "Tests/Emulator/EmulatorLambdaTests")
                .appending(path: "Programs/function.py").path
        ]

    /// Available as `POST /NAME` of an HTTP API, `POST /rest/NAME` of a REST API, by its function
    /// URL, and by Invoke.
    static func function(
        _ project: EmulatorProject, _ name: String, timeoutSeconds: Int = 20
    ) throws -> JSON {
        try project.folder.replace(name, withCommand: command)
        return JSONObject.function(
            project.folder.file(name), timeoutSeconds: timeoutSeconds,
            events: [
                "Http": JSONObject.route("POST", "/\(name)"),
                "Rest": [
                    "Type": "Api",
                    "Properties": ["Method": "POST", "Path": .string("/rest/\(name)")],
                ],
            ], more: ["FunctionUrlConfig": ["AuthType": "NONE"]])
    }

    /// Whether it works when invoked in each of these ways.
    static func isFine(_ name: String, _ caller: EmulatorClient) throws -> Bool {
        let event =
            #"{"do":"reply","reply":"{\"statusCode\":201,\"body\":\"fine\"}"}"#
        return try ["/\(name)", "/rest/\(name)", "/_lambda-url/\(name)/"].allSatisfy { path in
            let answer = try caller.app(.post, path, event)
            return answer.status == 201 && answer.text == "fine"
        } && caller.invoke(name, event).json?["statusCode"] == 201
    }

    /// Replaces the executable of `name` by one that always returns a text.
    static func rebuild(_ folder: TemporaryFolder, _ name: String, saying text: String) throws {
        try folder.replace(name, withCommand: command, setting: "SAYS='\"\(text)\"'")
    }

    /// Creates the file `begun`, and responds when the file `end` exists.
    static func wait(until end: String, begun: String) -> String {
        #"{"do":"meet","begun":"\#(begun)","others":["\#(end)"]}"#
    }

    /// Creates a file when it begins to sleep.
    static func sleep(_ seconds: Double, begun: String) -> String {
        #"{"do":"sleep","seconds":\#(seconds),"begun":"\#(begun)"}"#
    }
}

/// A response received on another thread; nil if there is none.
final class PendingAnswer: Sendable {
    private let group = DispatchGroup()
    private let answer = Mutex<HTTPResponse?>(nil)

    init(_ body: @escaping @Sendable () throws -> HTTPResponse) {
        group.enter()
        DetachedThread.run { [self] in
            let response = try? body()
            answer.withLock { $0 = response }
            group.leave()
        }
    }

    func wait() -> HTTPResponse? {
        group.wait()
        return answer.withLock { $0 }
    }
}
