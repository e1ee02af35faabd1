import BaseTestSupport
import Foundation

/// Handlers in Python and JavaScript, without an executable of their own.
@Suite("Handlers in other languages", .serialized, .hangLimit)
struct LanguageTests {
    /// A template with one function whose code is `files`, in a folder `code`.
    private static func project(
        _ runtime: String, _ files: [String: String], handler: String = "app.handler",
        _ arguments: [String] = [], more: String = "CodeUri: code/"
    ) throws -> (folder: TemporaryFolder, command: Command) {
        let folder = try TemporaryFolder()
        try folder.makeFolder("code")
        for (name, text) in files { try folder.write(Array(text.utf8), to: "code/\(name)") }
        let template = """
            Transform: AWS::Serverless-2016-10-31
            Resources:
              subject:
                Type: AWS::Serverless::Function
                Properties:
                  \(more)
                  Runtime: \(runtime)
                  Handler: \(handler)
                  Timeout: 20
                  MemorySize: 256
                  Environment:
                    Variables: {GREETING: hello}
                  Events:
                    Any: {Type: HttpApi}
            """
        try folder.write(Array(template.utf8), to: "template.yaml")
        var command = EmulatorProcess.serving(["--ephemeral"] + arguments).working(in: folder)
        command.folder = folder
        return (folder, command)
    }

    private static let python = """
        import decimal, logging, os
        logging.getLogger().setLevel("INFO")
        def handler(event, context):
            if event.get("fail"):
                raise KeyError(event["fail"])
            logging.info("seen %s", event.get("word"))
            print("printed")
            return {
                "word": event.get("word"), "greeting": os.environ["GREETING"],
                "function": context.function_name, "arn": context.invoked_function_arn,
                "id": context.aws_request_id, "left": context.get_remaining_time_in_millis(),
                "memory": context.memory_limit_in_mb, "pid": os.getpid(),
                "runtime": os.environ["AWS_EXECUTION_ENV"], "amount": decimal.Decimal("1.5"),
                "endpoint": os.environ["AWS_ENDPOINT_URL"],
            }
        """

    private static let node = """
        exports.handler = async (event, context) => {
          if (event.fail) throw new TypeError(event.fail);
          console.log("seen", event.word);
          console.log("printed");
          return {
            word: event.word, greeting: process.env.GREETING,
            function: context.functionName, arn: context.invokedFunctionArn,
            id: context.awsRequestId, left: context.getRemainingTimeInMillis(),
            memory: context.memoryLimitInMB, pid: process.pid,
            runtime: process.env.AWS_EXECUTION_ENV, amount: 1.5,
            endpoint: process.env.AWS_ENDPOINT_URL,
          };
        };
        """

    static var hasNode: Bool {
        ["/usr/local/bin/node", "/usr/bin/node", "/bin/node"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private func expectServed(
        _ project: (folder: TemporaryFolder, command: Command), _ runtime: String, error: String,
        isCold: Bool
    ) throws {
        let emulator = try EmulatorProcess(project.command)
        let caller = EmulatorClient(emulator)
        var processes: Set<Int64> = []
        for word in ["one", "two"] {
            let answer = try caller.invoke("subject", #"{"word":"\#(word)"}"#)
            let value = try #require(answer.json, "\(answer.text)\n\(emulator.log)")
            expectEqual(value["word"]?.stringValue, word)
            expectEqual(value["greeting"], "hello")
            expectEqual(value["function"], "subject")
            expectEqual(value["arn"], "arn:aws:lambda:us-east-1:123456789012:function:subject")
            expectEqual(value["id"]?.stringValue, answer.header("x-amzn-requestid"))
            #expect((1...20_000).contains(value["left"]?.int64Value ?? 0))
            expectEqual(value["memory"], "256")
            expectEqual(value["runtime"]?.stringValue, "AWS_Lambda_\(runtime)")
            expectEqual(value["amount"]?.text, "1.5")
            expectEqual(value["endpoint"]?.stringValue, emulator.awsURL)
            value["pid"]?.int64Value.map { _ = processes.insert($0) }
        }
        expectEqual(processes.count, isCold ? 2 : 1)
        let failed = try caller.invoke("subject", #"{"fail":"broken"}"#)
        expectEqual(failed.header("x-amz-function-error"), "Unhandled")
        expectEqual(failed.json?["errorType"]?.stringValue, error)
        expectEqual(failed.json?["errorMessage"]?.stringValue?.contains("broken"), true)
        try expectEqual(caller.app(.get, "/anything").json?["greeting"], "hello")
        let lines = emulator.log.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("seen one") && $0.contains("INFO") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("printed") })
        #expect(lines.contains { $0.contains(error) })
        let listed = try caller.aws(.get, "/2015-03-31/functions").json?["Functions"]
        expectEqual(listed?.arrayValue?.first?["Runtime"]?.stringValue, runtime)
    }

    @Test(arguments: ["warm", "cold"])
    func `a Python handler is served`(mode: String) throws {
        try expectServed(
            try Self.project("python3.12", ["app.py": Self.python], ["--mode", mode]),
            "python3.12", error: "KeyError", isCold: mode == "cold")
    }

    @Test(.enabled(if: LanguageTests.hasNode), arguments: ["warm", "cold"])
    func `a JavaScript handler is served`(mode: String) throws {
        try expectServed(
            try Self.project("nodejs22.x", ["app.js": Self.node], ["--mode", mode]),
            "nodejs22.x", error: "TypeError", isCold: mode == "cold")
    }

    @Test(
        .enabled(if: LanguageTests.hasNode),
        arguments: [
            ("app.mjs", "export const handler = async (event) => event.a + 1"),
            ("app.js", "exports.handler = (event, context, done) => done(null, event.a + 1)"),
            ("app.cjs", "module.exports.handler = (event) => Promise.resolve(event.a + 1)"),
        ])
    func `a JavaScript handler can have any supported form`(file: String, code: String) throws {
        let emulator = try EmulatorProcess(try Self.project("nodejs20.x", [file: code]).command)
        try expectEqual(EmulatorClient(emulator).invoke("subject", #"{"a":1}"#).text, "2")
    }

    @Test(arguments: [
        ("import nothing_here", "ImportModuleError", "No module named 'nothing_here'"),
        ("def handler(", "UserCodeSyntaxError", "Syntax error in "),
        ("def other(): pass", "HandlerNotFound", "Handler 'handler' missing on module 'app'"),
        ("1 / 0", "ZeroDivisionError", "division by zero"),
    ])
    func `a Python module that cannot be loaded is reported`(
        code: String, type: String, message: String
    ) throws {
        let emulator = try EmulatorProcess(try Self.project("python3.11", ["app.py": code]).command)
        let answer = try EmulatorClient(emulator).invoke("subject", "{}")
        expectEqual(answer.json?["errorType"]?.stringValue, "Runtime.\(type)")
        expectEqual(answer.json?["errorMessage"]?.stringValue?.contains(message), true)
        #expect(emulator.log.contains("[ERROR] Runtime.\(type): "), "\(emulator.log)")
    }

    @Test(
        arguments: [
            (
                ["app.py": "import requests_of_mine", "requirements.txt": "x\n"],
                " -m pip install -r FOLDER/code/requirements.txt", nil
            ),
            (["app.py": "import requests_of_mine"], addition, "pip install"),
            (
                ["app.py": "def handler(event, context):\n    import requests_of_mine.sessions"],
                addition, "pip install"
            ),
            // By the package's name. No such module is found, even if the machine has it.
            (
                ["app.py": "raise ModuleNotFoundError(\"No module named 'jwt'\", name='jwt')"],
                " -m pip install --target FOLDER/code 'PyJWT[crypto]'", nil
            ),
        ] as [([String: String], String, String?)])
    func `a missing package is reported with the command that installs it`(
        files: [String: String], said: String, unsaid: String?
    ) throws {
        let (folder, command) = try Self.project("python3.12", files)
        let emulator = try EmulatorProcess(command)
        _ = try EmulatorClient(emulator).invoke("subject", "{}")
        let advice = said.replacing("FOLDER", with: folder.path)
        #expect(emulator.log.contains(advice), "\(emulator.log)")
        if let unsaid { #expect(!emulator.log.contains(unsaid), "\(emulator.log)") }
    }

    private static let addition =
        "add the package that has the module requests_of_mine to requirements.txt"

    @Test func `a version of boto3 that would call AWS is reported`() throws {
        let (_, command) = try Self.project(
            "python3.12",
            [
                "app.py": "import botocore\ndef handler(event, context): return 1",
                "botocore.py": "__version__ = '1.29.27'",
            ])
        let emulator = try EmulatorProcess(command)
        try expectEqual(EmulatorClient(emulator).invoke("subject", "{}").text, "1")
        #expect(emulator.log.contains("botocore 1.29.27 ignores AWS_ENDPOINT_URL and calls AWS"))
    }

    /// A wrapper script takes long to find the version to use.
    @Test func `an interpreter that is a wrapper script is resolved once`() throws {
        var (folder, command) = try Self.project(
            "python3.12",
            ["app.py": "import sys\ndef handler(event, context): return sys.executable"],
            ["--mode", "cold"])
        try folder.makeFolder("bin")
        try folder.replace(
            "bin/python3",
            withScript: #"echo called >> "\#(folder.path)/calls"; exec /usr/bin/python3 "$@""#)
        command.environment = [("PATH", "\(folder.path)/bin:/usr/bin:/bin")]
        let caller = EmulatorClient(try EmulatorProcess(command))
        for _ in 0..<2 {
            let program = try caller.invoke("subject", "{}").text
            #expect(program.hasPrefix("\"/usr/bin/python3"), "\(program)")
        }
        try expectEqual(folder.read("calls"), Array("called\n".utf8))
    }

    @Test(.enabled(if: LanguageTests.hasNode))
    func `a JavaScript module that cannot be loaded is reported`() throws {
        let emulator = try EmulatorProcess(
            try Self.project("nodejs22.x", ["app.ts": "export {}"]).command)
        let answer = try EmulatorClient(emulator).invoke("subject", "{}")
        expectEqual(answer.json?["errorType"], "Runtime.ImportModuleError")
        let message = answer.json?["errorMessage"]?.stringValue ?? ""
        #expect(message.contains("has to be built first"), "\(message)")
    }

    @Test(
        arguments: [
            ("python3.12", "def handler(event, context): return event['a'] + 1"),
            ("nodejs22.x", "exports.handler = async (event) => event.a + 1"),
        ].filter { LanguageTests.hasNode || $0.0 != "nodejs22.x" })
    func `code in the template is run`(runtime: String, code: String) throws {
        let (_, command) = try Self.project(
            runtime, [:], handler: "index.handler", more: "InlineCode: \"\(code)\"")
        try expectEqual(
            EmulatorClient(EmulatorProcess(command)).invoke("subject", #"{"a":1}"#).text, "2")
    }

    @Test func `changed code serves the next request`() throws {
        let (folder, command) = try Self.project(
            "python3.12", ["app.py": "def handler(event, context): return 1"])
        let emulator = try EmulatorProcess(command)
        let caller = EmulatorClient(emulator)
        for number in 1...9 {
            let code = "from part import value\ndef handler(event, context): return value"
            try folder.replace("code/part.py", with: Array("value = \(number)".utf8))
            try folder.replace("code/app.py", with: Array(code.utf8))
            try expectEqual(caller.invoke("subject", "{}").text, "\(number)")
        }
        // A new folder, and a file in it.
        try folder.makeFolder("code/more")
        try folder.write([], to: "code/more/__init__.py")
        for number in 1...3 {
            try folder.write(Array("value = \(number)".utf8), to: "code/more/x.py")
            let code = "from more.x import value\ndef handler(event, context): return value"
            if number == 1 { try folder.replace("code/app.py", with: Array(code.utf8)) }
            try expectEqual(caller.invoke("subject", "{}").text, "\(number)")
        }
    }

    @Test func `the command events shows tabs in a log line`() throws {
        let (_, command) = try Self.project(
            "python3.12", ["app.py": "def handler(event, context): print('a\\tb\\x1b[c')"])
        let emulator = try EmulatorProcess(command)
        _ = try EmulatorClient(emulator).invoke("subject", "{}")
        let isShown = try eventually {
            try ChildProcess.run(
                EmulatorProcess.command(["events", "--url", emulator.appURL])
            ).text.contains("a\tb\\u001b[c")
        }
        #expect(isShown)
    }

    private static let stream = """
        const { pipeline } = require("node:stream/promises");
        const { Readable } = require("node:stream");
        exports.handler = awslambda.streamifyResponse(async (event, stream, context) => {
          if (event.fail) throw new TypeError(event.fail);
          const url = event.requestContext !== undefined;
          const metadata = { statusCode: 201, headers: { "x-a": "b" }, cookies: ["c=d"] };
          const out = event.plain || event.rawPath === "/plain"
            ? stream : awslambda.HttpResponseStream.from(stream, metadata);
          if (event.rawPath === "/plain") stream.setContentType("text/plain");
          if (event.rawPath === "/binary") out.write(Buffer.from([255, 254]));
          await pipeline(Readable.from(["one ", "two ", context.functionName]), out);
        });
        """

    @Test(.enabled(if: LanguageTests.hasNode))
    func `a JavaScript handler that streams is buffered`() throws {
        let emulator = try EmulatorProcess(
            try Self.project("nodejs22.x", ["app.js": Self.stream]).command)
        let caller = EmulatorClient(emulator)
        let answer = try caller.app(.get, "/")
        expectEqual(answer.status, 201, "\(answer.text)\n\(emulator.log)")
        expectEqual(answer.text, "one two subject")
        expectEqual(answer.header("x-a"), "b")
        expectEqual(answer.header("set-cookie"), "c=d")
        let plain = try caller.app(.get, "/plain")
        expectEqual(plain.status, 200)
        expectEqual(plain.header("content-type"), "text/plain")
        expectEqual(plain.text, "one two subject")
        try expectEqual(
            caller.app(.get, "/binary").body, [255, 254] + Array("one two subject".utf8))
        try expectEqual(caller.invoke("subject", #"{"plain":true}"#).text, "one two subject")
        let failed = try caller.invoke("subject", #"{"fail":"broken"}"#)
        expectEqual(failed.json?["errorType"], "TypeError")
    }

    @Test(.enabled(if: LanguageTests.hasNode))
    func `the command that installs packages has its path in quotes`() throws {
        let (folder, command) = try Self.project(
            "nodejs22.x", [:], more: "CodeUri: \"code of mine/\"")
        try folder.makeFolder("code of mine")
        try folder.write(Array("require('left-pad')".utf8), to: "code of mine/app.js")
        try folder.write(Array("{}".utf8), to: "code of mine/package.json")
        let emulator = try EmulatorProcess(command)
        _ = try EmulatorClient(emulator).invoke("subject", "{}")
        #expect(
            emulator.log.contains("npm install --prefix '\(folder.path)/code of mine"),
            "\(emulator.log)")
    }

    @Test func `a missing interpreter is reported at start and on invocation`() throws {
        var (folder, command) = try Self.project("python3.12", ["app.py": Self.python])
        try folder.makeFolder("empty")
        command.environment = [("PATH", folder.file("empty"))]
        let emulator = try EmulatorProcess(command)
        #expect(
            emulator.log.contains("subject: python3.12 needs python3, which is not on the PATH"))
        let answer = try EmulatorClient(emulator).invoke("subject", "{}")
        expectEqual(
            answer.json?["errorMessage"]?.stringValue?
                .hasSuffix("Couldn't find valid bootstrap(s): [python3]"), true, "\(answer.text)")
        #expect(eventually { emulator.log.contains("Couldn't find valid bootstrap(s): [python3]") })
    }

    @Test(arguments: [
        ("python3.12", "nowhere/", "the folder of its code does not exist: FOLDER/nowhere/"),
        (
            "java21", "code/",
            "template.yaml:7:7: Resources.subject.Properties.Runtime: the emulator runs "
                + "executables (provided.al2023), Python and Node.js"
        ),
    ])
    func `code that cannot run is reported at start`(
        runtime: String, code: String, said: String
    ) throws {
        let (folder, command) = try Self.project(
            runtime, ["App.java": ""], more: "CodeUri: \(code)")
        let emulator = try EmulatorProcess(command)
        #expect(
            emulator.log.contains(said.replacing("FOLDER", with: folder.path)), "\(emulator.log)")
    }
}
