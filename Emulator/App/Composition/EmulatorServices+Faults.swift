internal import Bytes
internal import Cryptography
internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import JSON
internal import Time

// Connects faults and gates to the services.
extension FaultInterceptor {
    convenience init(_ faults: FaultList, _ supervisor: ProcessSupervisor) {
        self.init(
            faults,
            after: { milliseconds, action in
                supervisor.after(.milliseconds(Int64(milliseconds)), action)
            },
            run: { action in
                if !BackgroundThread.run(action) { action() }
            })
    }
}

extension FaultNames {
    init(_ functions: FunctionService, _ identity: IdentityService) {
        self.init(
            own: IdentityService.faultNames.map { .init(.provider, $0.name, $0.sentence) }
                + MailFault.allCases.map { .init(.ses, $0.rawValue, $0.sentence) },
            operations: [
                .dynamodb: DynamoDBRequest.operations, .sts: STSCall.operations,
                .s3: S3Call.operations, .ses: SESCall.operations, .secrets: SecretsCall.operations,
                .provider: IdentityService.operations,
            ],
            existing: { field in
                switch field {
                case .function: functions.definitions.map(\.name)
                case .provider: identity.issuers.map(\.name)
                // Tables and buckets may be created later.
                default: nil
                }
            })
    }
}

extension InvocationInterception {
    init(_ interceptor: FaultInterceptor, _ traces: TraceRecorder, _ random: RandomSource) {
        self.init(
            isOn: { interceptor.isOn },
            handle: { function, request, timeout, completion, run in
                let call = FaultedInvocation(function, request, traces)
                let end: @Sendable (FaultError) -> Void = { error in
                    let id = RandomUUID.text(random.bytes(16))
                    call.record(error, requestID: id)
                    completion(InvocationResult(requestID: id, outcome: error.outcome(id)))
                }
                let exit = FaultErrors.named("Runtime.ExitError", .function)
                let late = FaultErrors.named("Sandbox.Timedout", .function)
                interceptor.pass(
                    InterceptedCall(
                        subject: FaultSubject(.function, name: function, body: request.payload),
                        serve: { isAnswered, done in
                            run { result in
                                if isAnswered { completion(result) }
                                done(result.status)
                            }
                        }, fail: end, reset: { if let exit { end(exit) } },
                        giveUp: { if let late { end(late) } },
                        hangMillisecondsMax: timeout, onFault: { call.note(faults: $0) }))
            })
    }
}

extension EmulatorServices {
    /// `--faults`.
    func loadFaults() throws {
        guard let path = options.faults else { return }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(path, bytesMax: 1 << 20)
        } catch {
            throw CommandFailure("--faults: cannot read \(path): \(error)")
        }
        guard let json = try? JSON.parse(bytes, limits: .event) else {
            throw CommandFailure("--faults: \(path) is not JSON")
        }
        do throws(FaultProblem) {
            try faultAPI.load(json)
        } catch {
            throw CommandFailure("--faults: \(path): \(error)")
        }
    }
}

extension FaultError {
    /// The outcome of a failed invocation.
    fileprivate func outcome(_ requestID: String) -> InvocationResult.Outcome {
        guard name != FaultErrors.throttle(.function).name else {
            return .throttled(reason: message)
        }
        let object: JSON = [
            "errorType": .string(name),
            "errorMessage": .string("RequestId: \(requestID) \(message)"),
        ]
        return .failed(object.serialized)
    }
}

extension InvocationResult {
    /// The status of the Lambda API's response.
    fileprivate var status: Int {
        switch outcome {
        case .answered, .failed: 200
        case .throttled: 429
        case .unknownFunction: 404
        }
    }
}
