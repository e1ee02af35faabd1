package import LatchkeyClient

// An app whose own types have these names uses them. The client's module cannot be written before
// a name, because its main type is called like it.
package typealias ClientError = AuthError
package typealias ClientSession = Session
package typealias ClientRequest = HTTPRequest
package typealias ClientResponse = HTTPResponse
