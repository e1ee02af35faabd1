/// An error of a page whose answer must still set cookies: the session was refreshed before.
package struct PageFailure: Error {
    package let error: APIError
    package let cookies: [Cookie]

    package init(_ error: any Error, cookies: [Cookie]) {
        self.error = APIError(error)
        self.cookies = cookies
    }
}
