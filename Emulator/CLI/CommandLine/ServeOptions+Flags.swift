internal import EmulatorApp
internal import EmulatorGateway

extension ServeOptions {
    static let flags = [
        Flag(
            "--template", "FILE",
            "A SAM template, in YAML or JSON. Default: template.yaml,\n"
                + "template.yml or template.json in this folder, or else\n" + ownTemplate
                + ".\nRepeatable: the templates are deployed side by side, in this\n"
                + "order, and a later one can import what an earlier one exports."),
        Flag(
            "--parameter", "NAME=VALUE",
            "Set a parameter of each template that has it; repeatable.\n"
                + "{url} stands for the URL of the app endpoint."),
        Flag(
            "--port", "N",
            "The app endpoint: routes, identity providers. Default: 8000. The\n"
                + "other ports stay at their defaults, except with --port 0, which\n"
                + "takes free ones for all"),
        Flag(
            "--aws-port", "N",
            "The AWS endpoint, for AWS_ENDPOINT_URL. Default: 8001, or a free\n"
                + "port with --port 0; 0 for a free port"),
        Flag(
            "--control-port", "N",
            "The control API and the mailbox, for a browser. Default: 8002, or a\n"
                + "free port if that is in use or with --port 0; 0 for a free port"),
        Flag(
            "--playground", "DIR",
            "Also serve the web app in DIR, on a port of its own."),
        Flag(
            "--playground-port", "N",
            "The port of that web app. Default: 8003, or a free port if that is in use or\n"
                + "with --port 0; 0 for a free port"),
        Flag(
            "--smtp-port", "N",
            "The SMTP port, on 127.0.0.1. Default: 8025, or a free port\n"
                + "if that is in use or with --port 0; 0 for a free port"
        ),
        Flag(
            "--verified-senders", nil, "Make SES reject senders without a created identity."),
        Flag(
            "--tls", nil,
            "Also serve HTTPS, on two more ports, with a local certificate; its\n"
                + "CA is DIR/certificates/ca.pem and GET /_emulator/ca.pem."),
        Flag(
            "--tls-port", "N",
            "The HTTPS port of the app endpoint. Default: 8443, or a free port\nwith --port 0"),
        Flag(
            "--aws-tls-port", "N",
            "The HTTPS port of the AWS endpoint. Default: 8444, or a free port\nwith --port 0"),
        Flag(
            "--issuer-url", "URL",
            "This machine's URL as the app reaches it, such as\n"
                + "https://my-mac.example:8443: the issuer of tokens and of the identity\n"
                + "providers. Default: the app endpoint, with --tls by HTTPS"),
        Flag(
            "--issuer-keys", "DIR",
            "Share the identity providers' keys with other emulators, in DIR:\n"
                + "a test suite that starts many then generates them once."),
        Flag("--host", "ADDRESS", "127.0.0.1, or 0.0.0.0 for all interfaces. Default: 127.0.0.1"),
        Flag("--data", "DIR", "The data directory. Default: .emulator"),
        Flag("--ephemeral", nil, "Keep the state in memory only."),
        Flag(
            "--mode", "MODE",
            "warm: long-running processes, on the Runtime API.\n"
                + "cold: one process per event, over stdin and stdout. Default: warm"),
        Flag(
            "--store", "STORE",
            "The store of the functions, sqlite:PATH or\n"
                + "postgres://USER:PASSWORD@HOST/DATABASE, whose table is created.\n"
                + "Default: the template's store, in the emulator's DynamoDB"),
        Flag(
            "--executables", "DIR",
            "Run DIR/NAME, or DIR/NAME/bootstrap, for a function whose code is\n"
                + "in a folder NAME, if it exists."),
        Flag(
            "--env-file", "FILE",
            "NAME=VALUE lines that override the functions' environment;\n"
                + "a line [FUNCTION] begins the section of one function."),
        Flag(
            "--faults", "FILE",
            "Start with the faults and gates in FILE, in the JSON form of the\n"
                + "control API: {\"faults\": [...], \"gates\": [...]}."),
        Flag("--record", "DIR", "Record each invocation as a fixture in DIR."),
        Flag("--events", "DIR", "Let the dashboard put fixtures into DIR, and replay them."),
        Flag(
            "--strict", nil,
            "Verify signatures and policies for all AWS services, not only\n"
                + "S3, SES and STS."),
        Flag(
            "--gateway", "RULE=VALUE",
            "Choose between undocumented behaviours of API Gateway; repeatable.\n"
                + "The first value is the default:\n"
                + GatewayOptions.rules.map { rule in
                    "\(rule.name)=\(rule.values.joined(separator: "|")): \(rule.about)"
                }.joined(separator: "\n")),
        Flag(
            "--watch", nil, "Reload the template and executables when they change (default)."),
        Flag("--no-watch", nil, "Do not reload the template."),
        Flag("--quiet", nil, "Do not print the logs of the functions."),
        Flag(
            "--verbose", nil,
            "List every route, function, schedule, example command and problem\nat the start."),
        Flag(
            "--ready-file", "FILE",
            "Write the addresses to FILE as JSON when the emulator is ready;\n"
                + "the file is removed at the start and at the end."),
        Flag(
            "--ready-json", nil,
            "Print the addresses as a line of JSON when the emulator is ready,\n"
                + "and everything else to standard error."),
    ]
}
