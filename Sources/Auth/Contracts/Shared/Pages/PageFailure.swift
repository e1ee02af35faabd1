/// An error of a page whose answer must still set cookies: the session was refreshed before.
struct PageFailure: Error {
    let error: APIError
    let cookies: [Cookie]

    init(_ error: any Error, cookies: [Cookie]) {
        self.error = APIError(error)
        self.cookies = cookies
    }
}
