internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Glibc
internal import Time

/// `HOOKS`, `HOOK_SECRET` and `HOOK_MILLISECONDS_MAX`.
struct HookSettings: ServicePart {
    let hooks: [HookSetting]
    /// nil if no hook is a URL.
    let secret: WebhookSecret?
    let limit: Span

    private static let limitStandard: Int64 = 3000

    /// nil without hooks, or if an error was reported to `reader`.
    static func read(_ reader: inout SettingsReader) -> HookSettings? {
        let milliseconds = reader.integer("HOOK_MILLISECONDS_MAX", 100...5000)
        let text = reader.text("HOOKS")
        let (hooks, problems) = text.map(HookSetting.parse) ?? ([], [])
        for problem in problems { reader.refuse(problem) }
        for hook in hooks {
            if let problem = hook.programProblem { reader.refuse("HOOKS: \(problem)") }
        }
        let secret = reader.secret("HOOK_SECRET")
        let parsed = secret.flatMap { WebhookSecret($0) }
        if secret != nil, parsed == nil {
            reader.refuse("HOOK_SECRET must be \(WebhookSecret.form)")
        }
        if secret == nil, hooks.contains(where: \.target.isURL) {
            reader.refuse("HOOK_SECRET is required, because HOOKS names a URL")
        }
        guard !hooks.isEmpty else { return nil }
        return HookSettings(
            hooks: hooks, secret: parsed, limit: .milliseconds(milliseconds ?? limitStandard))
    }

    var needsAWS: Bool { hooks.contains(where: \.target.isFunction) }

    /// Starts the helper that runs hooks that are executables, if there are any. They get the
    /// variables that begin with `HOOK_`, except these settings.
    static func startPrograms(_ environment: Environment) -> ProgramHelper? {
        let hooks = HookSetting.parse(environment["HOOKS"] ?? "").hooks
        guard hooks.contains(where: \.target.isProcess) else { return nil }
        return ProgramHelper.start(
            environment, passing: "HOOK_", except: ["HOOK_SECRET", "HOOK_MILLISECONDS_MAX"])
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        let calls = HookCalls(self, context)
        services.hooks = HookServices(
            hooks.map { hook in
                HookServices.Hook(
                    hook.kind, failsOpen: hook.failsOpen, call: calls.call(hook.target))
            }, report: context.reports.hooks)
    }
}

extension HookSetting {
    fileprivate var programProblem: String? {
        guard case .process(let path) = target,
            let failure = ProgramHelper.Failure.beforeStart(of: path)
        else { return nil }
        let problem =
            failure == .missing
            ? "does not exist" : "is not a file that this user (id \(geteuid())) can execute"
        return "the program of \(kind.rawValue), \(path), \(problem)"
    }
}

extension HookSetting.Target {
    fileprivate var isFunction: Bool {
        if case .function = self { true } else { false }
    }

    fileprivate var isProcess: Bool {
        if case .process = self { true } else { false }
    }

    fileprivate var isURL: Bool {
        if case .url = self { true } else { false }
    }
}
