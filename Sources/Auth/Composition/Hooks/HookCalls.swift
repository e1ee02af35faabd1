internal import AWSClients
internal import AuthOperations
internal import FunctionRuntime
internal import HTTP
internal import Time

/// How hooks are called: as a Lambda function, a process or a URL.
struct HookCalls {
    private let limit: Span
    private let secret: WebhookSecret?
    private let lambda: LambdaClient?
    private let programs: ProgramHelper?
    private let transport: HTTPTransport

    private static let answerBytesMax = 16 << 10

    init(_ settings: HookSettings, _ context: ServiceContext) {
        limit = settings.limit
        secret = settings.secret
        lambda = context.aws.lambda
        programs = context.assembly.programs
        transport = context.requests.transport(for: .hookURL)
    }

    func call(_ target: HookSetting.Target) -> HookServices.Call {
        switch target {
        case .function(let name): invoking(name)
        case .process(let path): running(path)
        case .url(let url): posting(to: url)
        }
    }

    private func invoking(_ name: String) -> HookServices.Call {
        { [lambda, limit] event throws(HookFailure) in
            guard let lambda else { throw .unavailable }
            do throws(AWSFailure) {
                let outcome = try lambda.invoke(
                    name, payload: event.bytes, responseBytesMax: Self.answerBytesMax,
                    within: limit)
                switch outcome {
                case .returned(let bytes): return bytes
                case .failed: throw AWSFailure.malformedResponse
                }
            } catch {
                switch error {
                case .unreachable(.timedOut, _): throw .timedOut
                case .unreachable, .credentials: throw .unavailable
                case .refused, .malformedResponse: throw .failed
                }
            }
        }
    }

    private func running(_ path: String) -> HookServices.Call {
        { [programs, limit] event throws(HookFailure) in
            guard let programs else { throw .unavailable }
            do throws(ProgramHelper.Failure) {
                return try programs.run(
                    path, input: event.bytes, outputBytesMax: Self.answerBytesMax, within: limit)
            } catch {
                switch error {
                case .timedOut: throw HookFailure(.timedOut, program: path)
                case .tooLarge: throw HookFailure(.tooLarge, program: path)
                case .unavailable: throw HookFailure(.unavailable, program: path)
                case .missing: throw HookFailure(.missing, program: path)
                case .notExecutable: throw HookFailure(.notExecutable, program: path)
                case .exited(let status):
                    throw HookFailure(.exited, program: path, status: status)
                case .killed(let signal):
                    throw HookFailure(.killed, program: path, signal: signal)
                }
            }
        }
    }

    private func posting(to url: String) -> HookServices.Call {
        { [secret, transport, limit] event throws(HookFailure) in
            guard let secret else { throw .unavailable }
            let seconds = event.time.seconds
            let request = HTTPRequest(
                .post, url,
                headers: .signedJSON(
                    id: event.id, seconds: seconds,
                    signature: secret.signature(of: event.bytes, id: event.id, seconds: seconds)),
                body: event.bytes,
                limits: HTTPLimits(
                    connectMillisecondsMax: Int(limit.milliseconds),
                    totalMillisecondsMax: Int(limit.milliseconds),
                    responseBytesMax: Self.answerBytesMax))
            let response: HTTPResponse
            do throws(HTTPFailure) {
                response = try transport.send(request)
            } catch {
                switch error {
                case .timedOut: throw .timedOut
                case .responseTooLarge: throw .tooLarge
                case .invalidURL, .connectFailed, .interrupted: throw .unavailable
                }
            }
            // A redirect counts as a failure too: only the configured URL may answer.
            guard response.status == 200 else {
                throw HookFailure(.failed, status: response.status)
            }
            return response.body
        }
    }
}
