import BaseTestSupport
import EmulatorGateway

/// Templates in YAML.
@Suite("YAML templates") struct YAMLTemplateTests {
    private func value(_ yaml: String) throws -> JSON {
        let document = try TemplateDocument(Array("V: \(yaml)".utf8), isYAML: true)
        return document.object["V"] ?? .null
    }

    private func json(_ text: String) throws -> JSON { try JSON.parse(text, limits: .event) }

    private func failure(_ yaml: String) -> String {
        do throws(TemplateFailure) {
            let document = try TemplateDocument(Array(yaml.utf8))
            _ = try Template(document, settings: TemplateSettings())
            return "none"
        } catch {
            return "\(error.place.map { "\($0) " } ?? "")\(error)"
        }
    }

    @Test(arguments: [
        ("!Ref A", #"{"Ref":"A"}"#), ("!Condition C", #"{"Condition":"C"}"#),
        ("!Sub 'a-${B}'", #"{"Fn::Sub":"a-${B}"}"#), ("!Sub yes", #"{"Fn::Sub":"yes"}"#),
        (#"!Sub ["${X}", {X: !Ref B}]"#, #"{"Fn::Sub":["${X}",{"X":{"Ref":"B"}}]}"#),
        ("!GetAtt A.Arn", #"{"Fn::GetAtt":"A.Arn"}"#),
        ("!GetAtt [A, Arn]", #"{"Fn::GetAtt":["A","Arn"]}"#),
        (#"!Join ["-", [a, !Ref B]]"#, #"{"Fn::Join":["-",["a",{"Ref":"B"}]]}"#),
        ("!Select [0, !GetAZs '']", #"{"Fn::Select":[0,{"Fn::GetAZs":""}]}"#),
        (#"!Split [",", "a,b"]"#, #"{"Fn::Split":[",","a,b"]}"#),
        ("!FindInMap [M, !Ref R, k]", #"{"Fn::FindInMap":["M",{"Ref":"R"},"k"]}"#),
        ("!If [C, 1, !Ref AWS::NoValue]", #"{"Fn::If":["C",1,{"Ref":"AWS::NoValue"}]}"#),
        ("!Equals [!Ref A, b]", #"{"Fn::Equals":[{"Ref":"A"},"b"]}"#),
        (
            "!And [!Condition A, !Not [!Condition B], !Or [!Condition C, !Condition D]]",
            #"{"Fn::And":[{"Condition":"A"},{"Fn::Not":[{"Condition":"B"}]},"#
                + #"{"Fn::Or":[{"Condition":"C"},{"Condition":"D"}]}]}"#
        ),
        ("!Base64 text", #"{"Fn::Base64":"text"}"#),
        ("!Cidr [10.0.0.0/16, 6, 8]", #"{"Fn::Cidr":["10.0.0.0/16",6,8]}"#),
        ("!ImportValue x", #"{"Fn::ImportValue":"x"}"#),
        ("!Transform {Name: AWS::Include}", #"{"Fn::Transform":{"Name":"AWS::Include"}}"#),
        ("!Length [1, 2]", #"{"Fn::Length":[1,2]}"#),
        ("!ToJsonString {a: 1}", #"{"Fn::ToJsonString":{"a":1}}"#),
    ])
    func `short forms equal the long ones`(yaml: String, long: String) throws {
        try expectEqual(value(yaml), json(long))
    }

    @Test(arguments: [
        ("yes", "true"), ("No", "false"), ("on", "true"), ("OFF", "false"), ("True", "true"),
        ("y", #""y""#), ("n", #""n""#), ("'yes'", #""yes""#), ("!!str yes", #""yes""#),
        ("~", "null"), ("", "null"), ("Null", "null"),
        ("2012-10-17", #""2012-10-17""#), ("2010-09-09", #""2010-09-09""#),
        ("2001-12-14t21:59:43.10-05:00", #""2001-12-14t21:59:43.10-05:00""#),
        ("12", "12"), ("-7", "-7"), ("+5", "5"), ("1_000", "1000"),
        ("0755", "493"), ("0x1F", "31"), ("0b101", "5"), ("08", #""08""#), ("1:30:00", "5400"),
        ("22:22", "1342"), ("012345678901", #""012345678901""#), ("123456789012", "123456789012"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.10", "1.10"), ("2.0", "2.0"), (".5", "0.5"), ("1.5e+3", "1.5e+3"), (".", #"".""#),
        ("1.10.2", #""1.10.2""#), ("10.0.0.0/16", #""10.0.0.0/16""#), ("1e3", #""1e3""#),
        (".inf", #"".inf""#), ("rate(5 minutes)", #""rate(5 minutes)""#), ("-", "[null]"),
        (#""a\tb\u00e9""#, #""a\tbé""#), ("{}", "{}"), ("[]", "[]"), ("!!set {a: }", "refused"),
        ("!!binary aGk=", "refused"), ("!Reff x", "refused"),
    ])
    func `scalars are read as CloudFormation reads them`(yaml: String, expected: String) throws {
        guard expected != "refused" else {
            #expect(throws: TemplateFailure.self) { try value(yaml) }
            return
        }
        try expectEqual(value(yaml == "-" ? "\n - " : yaml), json(expected))
    }

    @Test func `block scalars keep or fold their lines`() throws {
        try expectEqual(value("|\n  a\n   b\n"), "a\n b\n")
        try expectEqual(value("|-\n  a\n  b\n"), "a\nb")
        try expectEqual(value(">-\n  a\n  b\n"), "a b")
        try expectEqual(value("!Sub |\n  a ${B}\n"), ["Fn::Sub": "a ${B}\n"])
    }

    @Test func `keys are strings`() throws {
        try expectEqual(value("{on: 1, 404: 2, 'true': 3}"), ["on": 1, "404": 2, "true": 3])
    }

    @Test func `anchors, aliases and merge keys are replaced by their values`() throws {
        try expectEqual(
            value(
                """

                  base: &base {a: 1, b: 2}
                  other: &other {b: 3, c: 4}
                  list: [*base, !Ref X]
                  own: {b: 9, <<: *base}
                  both: {<<: [*base, *other]}
                  quoted: {"<<": 1}
                """),
            [
                "base": ["a": 1, "b": 2], "other": ["b": 3, "c": 4],
                "list": [["a": 1, "b": 2], ["Ref": "X"]], "own": ["b": 9, "a": 1],
                "both": ["a": 1, "b": 2, "c": 4], "quoted": ["<<": 1],
            ])
    }

    @Test func `a few lines of aliases cannot fill the memory`() {
        var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        for level in 1..<30 {
            let before = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            lines.append("a\(level): &a\(level) [\(before)]")
        }
        let failure = failure(lines.joined(separator: "\n"))
        #expect(failure.contains("more than 200000 values"), "\(failure)")
        #expect(
            self.failure("a: " + String(repeating: "[", count: 5000)).contains("levels of nesting"))
        expectEqual(
            self.failure("a: &a [*a]"),
            "1:8 not valid YAML: the alias *a has no anchor &a "
                + "before it")
    }

    /// `line:column message`
    @Test(arguments: [
        ("Resources:\n  A: 1\n  A: 2\n", "3:3 Resources.A: should be an object"),
        ("Resources:\n\tA: 1\n", "2:1 not valid YAML: a tab cannot indent a line; use spaces"),
        (
            "Resources:\n  A: 1\n B: 2\n",
            "3:2 not valid YAML: expected a key, as in the block of line 1; is the line indented "
                + "wrongly?"
        ),
        (
            "Resources:\n  A: b: c\n",
            "2:7 not valid YAML: a key is not allowed here; is the line indented wrongly, or is a "
                + "text with ': ' not in quotes?"
        ),
        ("a: @x\n", "1:4 not valid YAML: a value cannot begin with @; put it in quotes"),
        ("a: 'x\nb: y\n", "1:4 not valid YAML: the quotation mark here is never closed"),
        ("a: [1, 2\nb: 3\n", "2:2 not valid YAML: expected ',' or ']', for the '[' at 1:4"),
        ("a: {b: 1\n", "2:1 not valid YAML: expected ',' or '}', for the '{' at 1:4"),
        ("a: *b\n", "1:4 not valid YAML: the alias *b has no anchor &b before it"),
        ("a: 1\n---\nb: 2\n", "2:1 not valid YAML: a second document begins here; one is expected"),
        ("[a]: 1\n", "1:1 not valid YAML: a key must be a text"),
        ("a:\n  <<: 1\n", "2:3 not valid YAML: << needs a mapping, or a list of mappings"),
        ("", "1:1 not valid YAML: the document is empty"),
        ("- a\n", "should be an object with Resources"),
    ])
    func `errors have position and reason`(yaml: String, expected: String) {
        expectEqual(failure(yaml), expected)
    }

    @Test func `the error for an unknown tag lists the known ones`() {
        let failure = failure("Resources:\n  A: !Reff B\n")
        #expect(
            failure.hasPrefix("2:6 not valid YAML: CloudFormation has no tag !Reff; it has !And"))
    }

    @Test(arguments: [
        (
            "{\n  \"a\": 1,\n  \"a\": 2\n}",
            "3:3 not valid JSON: the object has a duplicate member name"
        ),
        (
            "{\n  \"a\": 1,\n}",
            "3:1 not valid JSON: a comma, a bracket, a quotation mark or a value"
        ),
        ("{\"a\": \"é\" \"b\"}", "1:11 not valid JSON: a comma"),
        ("{} x", "1:4 not valid JSON: the text should end here"),
    ])
    func `errors in JSON have position and reason`(text: String, expected: String) {
        #expect(failure(text).hasPrefix(expected), "\(failure(text))")
    }

    private static let template = """
        Transform: AWS::Serverless-2016-10-31
        Globals:
          Function:
            Runtime: provided.al2023
            VpcConfig: {}
        Resources:
          F:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: x/
              Timeout: TIMEOUT
              Unheard: of
              Environment:
                Variables:
                  NAME: NAME.VALUE
              Events:
                One:
                  Type: SQS
                  Properties: {Queue: q}
          Q: {Type: AWS::SQS::Queue}
        """

    private func placed(_ yaml: String) throws -> [String] {
        let document = try TemplateDocument(Array(yaml.utf8))
        return try Template(document, settings: TemplateSettings()).warnings.map {
            "\($0.place.map { "\($0)" } ?? "nowhere") \($0.path)"
        }
    }

    @Test func `unsupported features are reported with their position`() throws {
        let yaml = Self.template.replacing("TIMEOUT", with: "5").replacing("NAME.VALUE", with: "x")
        try expectEqual(
            placed(yaml),
            [
                "5:5 Resources.F.Properties.VpcConfig",
                "18:11 Resources.F.Properties.Events.One.Type",
                "12:7 Resources.F.Properties.Unheard", "20:3 Resources.Q",
            ])
    }

    @Test func `warnings about Globals are reported once`() throws {
        let yaml = """
            Globals:
              Function:
                Runtime: provided.al2023
                Tracing: Active
            Resources:
              F: {Type: AWS::Serverless::Function, Properties: {CodeUri: x, Layers: [a]}}
              G: {Type: AWS::Serverless::Function, Properties: {CodeUri: y, Layers: [a]}}
              H: {Type: AWS::Serverless::Function, Properties: {CodeUri: z, Tracing: Active}}
            """
        try expectEqual(
            placed(yaml),
            [
                "4:5 Resources.F.Properties.Tracing", "6:65 Resources.F.Properties.Layers",
                "7:65 Resources.G.Properties.Layers", "8:65 Resources.H.Properties.Tracing",
            ])
    }

    /// A value chosen by a condition has the position of its property.
    @Test func `different warnings at one position are all reported`() throws {
        let yaml = """
            Conditions: {C: !Equals [a, a]}
            Resources:
              F:
                Type: AWS::Serverless::Function
                Properties:
                  CodeUri: x
                  Runtime: provided
                  Policies: !If [C, [{EKSDescribePolicy: {}}, {SMSPublishPolicy: {}}], []]
            """
        try expectEqual(
            placed(yaml).compactMap { $0.split(separator: " ").last },
            [
                "Resources.F.Properties.Policies[0]", "Resources.F.Properties.Policies[1]",
            ])
    }

    @Test func `positions are found in JSON too`() throws {
        let json = """
            {
              "Resources": {
                "Q": { "Type": "AWS::SQS::Queue" },
                "F": { "Type": "AWS::Serverless::Function", "Properties": {
                    "Runtime": "provided.al2023", "Timeout": "x" } }
              }
            }
            """
        expectEqual(
            failure(json), "5:39 Resources.F.Properties.Timeout: should be an integer from 1 to 900"
        )
        try expectEqual(placed(json.replacing("\"x\"", with: "3")), ["3:5 Resources.Q"])
    }

    @Test(arguments: [
        ("soon", "x", "11:7 Resources.F.Properties.Timeout: should be an integer from 1 to 900"),
        (
            "5", "!Ref Nowhere",
            "15:11 Resources.F.Properties.Environment.Variables.NAME.Ref: refers to Nowhere, which "
                + "the template does not have"
        ),
        (
            "5", "!Sub '${F.Name}'",
            "15:11 Resources.F.Properties.Environment.Variables.NAME.Fn::Sub: refers to the "
                + "attribute F.Name, which does not exist"
        ),
    ])
    func `errors found later have their position`(timeout: String, name: String, expected: String) {
        let yaml = Self.template.replacing("TIMEOUT", with: timeout)
            .replacing("NAME.VALUE", with: name)
        let place = expected.split(separator: ":", maxSplits: 1)[0]
        #expect(failure(yaml).hasPrefix("\(place):"), "\(failure(yaml))")
        #expect(failure(yaml).hasSuffix(expected.drop { $0 != " " }), "\(failure(yaml))")
    }

    @Test func `a template in YAML equals the one in JSON`() throws {
        let yaml = """
            Parameters:
              Stage: {Type: String, Default: on}
            Conditions:
              IsOn: !Equals [!Ref Stage, true]
            Resources:
              T:
                Type: AWS::Serverless::SimpleTable
                Condition: IsOn
              F:
                Type: AWS::Serverless::Function
                Properties:
                  CodeUri: code/
                  Runtime: python3.12
                  Handler: app.handler
                  Environment:
                    Variables: {TABLE: !Ref T, DEBUG: yes, VERSION: 1.10, MODE: 0644}
                  Events:
                    Get:
                      Type: HttpApi
                      Properties: {Method: get, Path: "/x/{id}"}
            """
        let template = try Template(parsing: Array(yaml.utf8))
        expectEqual(template.warnings, [])
        expectEqual(template.tables.map(\.name), ["T"])
        let function = try #require(template.functions.first)
        expectEqual(function.runtime, "python3.12")
        expectEqual(
            function.environment.map { "\($0.name)=\($0.value)" },
            [
                "TABLE=T", "DEBUG=true", "VERSION=1.10", "MODE=420",
            ])
        expectEqual(template.apis.first?.routes.map(\.key), ["GET /x/{id}"])
    }

    @Test(arguments: [
        ("InlineCode: 'x = 1'", "x = 1"), ("Code: {ZipFile: 'y = 2'}", "y = 2"),
    ])
    func `inline code is kept unchanged`(property: String, code: String) throws {
        let type = property.hasPrefix("Inline") ? "Serverless" : "Lambda"
        let yaml = """
            Resources:
              F:
                Type: AWS::\(type)::Function
                Properties:
                  Runtime: python3.12
                  Handler: index.handler
                  \(property)
            """
        let template = try Template(parsing: Array(yaml.utf8))
        expectEqual(template.warnings, [])
        expectEqual(template.functions.first?.inlineCode, code)
    }
}
