@Suite("FunctionHost, one-shot") struct FunctionHostTests {
    @Test(arguments: ["", "x", "[]", "{\"version\":\"2.0\",\"rawPath\":\"/\"}"])
    func `an unreadable event is reported as Lambda would, with exit status 1`(event: String) {
        let run = HostRun(input: Array(event.utf8))
        expectEqual(run.host(), 1)
        expectEqual(run.outputDocument?["errorType"], "Function.MalformedEvent")
        expectEqual(run.outputDocument?["errorMessage"]?.stringValue?.hasPrefix("The event"), true)
        #expect(run.errors.contains(#""event":"event_refused","requestId":"new-id""#))
    }

    @Test func `all configuration errors are reported at once`() {
        let run = HostRun(
            input: Array("{}".utf8),
            variables: [("LOG_LEVEL", "loud"), ("BASE_PATH", "api/"), ("OPENFAAS_REPLY", "x")])
        let status = run.host { _, _ throws(StartFailure) in
            throw StartFailure(problems: ["STORE is missing", "CONTRACT is unknown"])
        }
        expectEqual(status, 1)
        expectEqual(
            run.output,
            #"{"errorType":"Runtime.ConfigInvalid","errorMessage":"BASE_PATH must begin with"#
                + " a slash and not end with one; OPENFAAS_REPLY must be body or document; "
                + #"LOG_LEVEL must be off, error or info; STORE is missing; CONTRACT is unknown"}"#
                + "\n")
        expectEqual(run.errors.split(separator: "\n").count, 6)
        #expect(run.errors.contains(#""event":"start_failed","problem":"STORE is missing""#))
    }

    @Test func `at a terminal there is help, a version and a hint`() {
        let help = HostRun()
        expectEqual(help.host(arguments: ["--help"]), 0)
        #expect(help.output.hasPrefix("Signs in.\n\n\(Self.usage)\n"))
        for words in [["-h"], ["help"], ["serve", "--help"], ["--listen", "-h"]] {
            let same = HostRun()
            expectEqual(same.host(arguments: words), 0)
            expectEqual(same.output, help.output, "\(words)")
        }
        let version = HostRun()
        expectEqual(version.host(arguments: ["--version"]), 0)
        expectEqual(version.output, "signin 1.2.3\n")
        let hint = HostRun(input: gatewayEvent().serialized, isTerminal: true)
        expectEqual(hint.host(), 0)
        #expect(hint.errors.hasPrefix("signin: reading one JSON event from the terminal"))
    }

    /// For a scheduler that starts a program without input. A container's own variables, such as
    /// `PORT`, have no effect.
    @Test func `an event can be an argument`() {
        let run = HostRun(
            input: Array("not read".utf8), variables: [("PORT", "8080"), ("Http_Method", "GET")])
        expectEqual(run.host(arguments: ["--event", #"{"action":"x"}"#]), 0)
        expectEqual(run.output, #"{"method":"","path":""}"# + "\n")
        let wrong = HostRun()
        expectEqual(wrong.host(arguments: ["--event", "x"]), 1)
        expectEqual(wrong.outputDocument?["errorType"], "Function.MalformedEvent")
    }

    @Test(
        arguments: [
            (["-x"], "signin: unexpected argument '-x'\n"),
            (["--lisen"], "signin: unexpected argument '--lisen'; did you mean --listen?\n"),
            (["--help", "--version"], ""), (["--event"], ""),
            (["event.json"], "signin: unexpected argument 'event.json'\n"),
            ([""], "signin: unexpected argument ''\n"),
            (["--listen", "--hlp"], "signin: unexpected argument '--hlp'; did you mean --help?\n"),
            (["serve", "a", "b"], "signin: unexpected argument 'serve'\n"),
            (["--listen", "127.0.0.1:8091", "--x"], "signin: unexpected argument '--x'\n"),
        ] as [([String], String)])
    func `any other argument is a usage error`(arguments: [String], problem: String) {
        let run = HostRun()
        expectEqual(run.host(arguments: arguments), 64)
        #expect(run.output.isEmpty)
        expectEqual(run.errors, "\(problem)\(Self.usage)\n")
    }

    @Test(
        arguments: [
            (["serve", "--port", "8091"], "signin --listen 127.0.0.1:8091 (this machine)\n"),
            (["--port=8091"], "signin --listen 127.0.0.1:8091 (this machine)\n"),
            (["serve", "8091"], "8091 is not an address: did you mean :8091 or 127.0.0.1:8091?\n"),
            (["serve", "0.0.0.0"], "the port is missing: did you mean 0.0.0.0:8080?\n"),
            (["--listen", "::1"], "the port is missing: did you mean [::1]:8080?\n"),
            (["serve", ":99999"], "a port is at most 65535\n"),
        ] as [([String], String)])
    func `the error for a wrong address suggests a right one`(arguments: [String], end: String) {
        let run = HostRun()
        expectEqual(run.host(arguments: arguments), 64)
        #expect(run.errors.hasSuffix(end), "\(run.errors)")
    }

    @Test func `at a terminal, a program with commands shows the first steps`() {
        let commands = CommandHelp { [.init(name: "export", text: "  export  Write all items.")] }
        let run = HostRun(isTerminal: true, commands: commands)
        let status = run.host { _, _ throws(StartFailure) in
            throw StartFailure(problems: ["STORE is missing"])
        }
        expectEqual(status, 64)
        #expect(run.errors.contains("  signin serve   ") && !run.errors.contains("STORE"))
        let wrong = HostRun(commands: commands)
        expectEqual(wrong.host(arguments: ["exprt"]), 64)
        #expect(wrong.errors.hasPrefix("signin: unexpected argument 'exprt'; did you mean export?"))
        let swapped = HostRun(commands: commands)
        expectEqual(swapped.host(arguments: ["sreve"]), 64)
        #expect(swapped.errors.contains("did you mean serve?"), "\(swapped.errors)")
        let option = HostRun(commands: commands)
        expectEqual(option.host(arguments: ["serve", "--port", "0"]), 64)
        #expect(!option.errors.contains("export?"), "\(option.errors)")
        let event = HostRun(input: gatewayEvent().serialized, commands: commands)
        expectEqual(event.host(), 0)
    }

    private static let usage =
        "Usage: signin [--help | --version | --settings | --listen [ADDRESS] | --event JSON]"
}

@Suite("FunctionHost, watchdog") struct WatchdogTests {
    private static let variables = [
        ("Http_Method", "POST"), ("Http_Path", "/login/%41é"), ("Http_Query", "a=1&b=%20"),
        ("Http_X_Id", "7"), ("Http_Content_Type", "application/json"), ("Http_Host", "gw:8080"),
        ("Http_ContentLength", "2"), ("Http_Content_Length", "2"), ("Http_Cookie", "sid=abc; t=1"),
        ("Http_User_Agent", "curl/7"), ("Http_X_Call_Id", "call-1"), ("HTTP_PROXY", "x"),
        ("PATH", "/bin"),
    ]

    @Test func `a body over the limit and an invalid query are client errors`() {
        let long = HostRun(variables: [("Http_Method", "POST")], readFailure: .tooLarge)
        expectEqual(long.host(), 0)
        expectEqual(long.requests.first?.defect, .bodyTooLarge)
        let query = HostRun(variables: [("Http_Method", "GET"), ("Http_Query", "a=%")])
        expectEqual(query.host(), 0)
        expectEqual(query.requests.first?.defect, .query)
        let path = HostRun(variables: [("Http_Method", "GET"), ("Http_Path", "/a\u{1}")])
        expectEqual(path.host(), 0)
        expectEqual(path.requests.first?.defect, .path)
    }

    @Test func `the log is off if it would be mixed into the response`() {
        let mixed = HostRun(variables: Self.variables, readFailure: .failed(code: 5))
        expectEqual(mixed.host(), 1)
        #expect(mixed.errors.isEmpty)
        let apart = HostRun(
            variables: Self.variables + [("combine_output", "false")],
            readFailure: .failed(code: 5))
        expectEqual(apart.host(), 1)
        #expect(apart.errors.contains("invocation_failed"))
    }
}
