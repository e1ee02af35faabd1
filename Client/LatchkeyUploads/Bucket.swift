internal import Foundation
internal import LatchkeyClient

/// An object in the user's bucket.
struct BucketObject: Equatable, Sendable {
    let bucket: String
    let key: String
    let url: URL
}

/// Requests to the user's bucket. Requests are repeated after temporary failures, with new
/// credentials if the old ones have expired, and with the server's time if the clock is wrong.
actor Bucket {
    private let credentials: StorageCredentialsProvider
    private let transport: any Transport
    private let clock: any SessionClock
    private let options: UploadOptions
    private let jitter: Options
    /// How far the server's clock is ahead, in seconds.
    private var serverOffset = 0.0

    private static let answerBytesMax = 2 << 20
    /// A minute is enough, because credentials have to be valid only when a request begins.
    private static let lifeMin = Duration.seconds(60)

    init(
        credentials: StorageCredentialsProvider, transport: any Transport, clock: any SessionClock,
        options: UploadOptions
    ) {
        self.credentials = credentials
        self.transport = transport
        self.clock = clock
        self.options = options
        var jitter = Options()
        jitter.random = options.random
        self.jitter = jitter
    }

    func object(named name: String) async throws(UploadError) -> BucketObject {
        let given = try await given(renewed: false)
        return try object(given, key: given.prefix + name)
    }

    func object(_ key: String) async throws(UploadError) -> BucketObject {
        try object(try await given(renewed: false), key: key)
    }

    private func object(
        _ given: StorageCredentials, key: String
    ) throws(UploadError) -> BucketObject {
        let url = ObjectURL.url(
            of: key, bucket: given.bucket, region: given.region, endpoint: given.endpoint)
        guard let url, key.utf8.count <= 1024 else { throw .invalidName }
        guard url.isProtected(orAllowed: options.allowsInsecureHTTP) else {
            throw .insecureEndpoint
        }
        return BucketObject(bucket: given.bucket, key: key, url: url)
    }

    private func given(renewed: Bool) async throws(UploadError) -> StorageCredentials {
        do throws(AuthError) {
            // Credentials never live for a day, so this makes the provider get new ones.
            return try await credentials.credentials(
                minimumLife: renewed ? .seconds(86_400) : Self.lifeMin)
        } catch {
            throw .session(error)
        }
    }

    /// What to do after a failed request.
    private enum Failure {
        case final(UploadError)
        case passing(UploadError)
        case credentialsEnded(UploadError)
        case clockIsWrong(UploadError, serverTime: Double)
    }

    /// Sends a request until it succeeds.
    func send(
        _ method: String, _ object: BucketObject, query: [(key: String, value: String)] = [],
        headers: [String: String] = [:], body: Data? = nil
    ) async throws(UploadError) -> HTTPResponse {
        var attempts = 0
        var isRenewing = false
        var corrections = 0
        while true {
            if Task.isCancelled { throw .cancelled }
            attempts += 1
            let failure: Failure
            do throws(UploadError) {
                let given = try await given(renewed: isRenewing)
                isRenewing = false
                let request = request(method, object, query, headers, body, given)
                let outcome = await exchange(request)
                if case .success(let answer) = outcome, Self.isDone(answer) { return answer }
                failure = judge(outcome)
            } catch {
                guard case .session(let cause) = error, cause.isTransient else { throw error }
                failure = .passing(error)
            }
            let error: UploadError
            switch failure {
            case .final(let reason): throw reason
            case .passing(let reason): error = reason
            case .credentialsEnded(let reason):
                error = reason
                isRenewing = true
                corrections += 1
            case .clockIsWrong(let reason, let time):
                error = reason
                serverOffset = time - clock.now().timeIntervalSince1970
                corrections += 1
            }
            guard attempts < options.attemptsMax, corrections <= 2 else { throw error }
            if case .passing = failure { try await pause(after: attempts) }
        }
    }

    private func pause(after attempts: Int) async throws(UploadError) {
        let longest = Duration.milliseconds(250) * (1 << min(attempts, 5))
        do { try await clock.sleep(for: jitter.jitter(upTo: longest)) } catch { throw .cancelled }
    }

    private func request(
        _ method: String, _ object: BucketObject, _ query: [(key: String, value: String)],
        _ headers: [String: String], _ body: Data?, _ given: StorageCredentials
    ) -> HTTPRequest {
        var url = object.url
        if !query.isEmpty {
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
            parts?.percentEncodedQuery = FormEncoding.text(query)
            url = parts?.url ?? url
        }
        var request = HTTPRequest(
            method, url, headers: headers, body: body, timeout: options.requestTimeout,
            answerBytesMax: Self.answerBytesMax)
        let now = clock.now().addingTimeInterval(serverOffset)
        RequestSignature(given).sign(&request, at: now)
        return request
    }

    private func exchange(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    /// S3 begins its response to a completion before it knows the outcome, so an error may follow a
    /// status 200.
    private static func isDone(_ answer: HTTPResponse) -> Bool {
        (200..<300).contains(answer.status) && !XMLText.isError(answer.body)
    }

    private func judge(_ outcome: Result<HTTPResponse, TransportError>) -> Failure {
        let answer: HTTPResponse
        switch outcome {
        case .success(let response): answer = response
        case .failure(.cancelled):
            return Task.isCancelled ? .final(.cancelled) : .passing(.unavailable)
        case .failure(.notSent), .failure(.lost): return .passing(.unavailable)
        case .failure(.answerTooLarge): return .final(.unavailable)
        }
        let code = XMLText.first("Code", in: answer.body)
        let refusal = UploadError.refused(status: answer.status, code: code)
        switch (answer.status, code) {
        case (_, "ExpiredToken"?), (_, "TokenRefreshRequired"?), (_, "InvalidToken"?):
            return .credentialsEnded(refusal)
        case (_, "RequestTimeTooSkewed"?):
            guard let time = answer.header("date").flatMap(HTTPDate.seconds) else {
                return .final(refusal)
            }
            return .clockIsWrong(refusal, serverTime: time)
        case (408, _), (429, _), (500..., _), (200..<300, _), (_, "RequestTimeout"?):
            return .passing(.unavailable)
        default: return .final(refusal)
        }
    }
}
