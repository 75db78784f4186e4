// Requests: parameters, fields, validation, values and errors.

import FoundationEssentials
import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/users", .json([User(name: "ada", tags: ["staff"])]))
mock.stub(.post, "https://api.example.com/users") { request in .json(try request.json(User.self), status: .created) }
mock.stub(.get, "https://api.example.com/report", .text("none today").field(.retryAfter, "60"))
mock.stub(.get, "https://api.example.com/users/7", .json(["message": "no user has this number"], status: .notFound))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
// snippet.show

struct User: Codable, Sendable {
  var name: String
  var tags: [String]
}

// GET /users?page=2&tags%5B%5D=admin&tags%5B%5D=staff
let users = try await session.request(
  "users", parameters: ["page": 2, "tags": ["admin", "staff"]], headers: [.accept: "application/json"]
)
.validate().serializingDecodable([User].self).value

// A value of your own, as JSON in the body.
let ada = try await session.request(
  "users", method: .post, parameters: User(name: "ada", tags: ["staff"]), encoder: .json
)
.validate(statusCode: [201]).serializingDecodable(User.self).value

// snippet.hide
mock.stub(.get, "https://api.example.com/search", .text("nothing"))
// snippet.show

// A search whose server reads the body of a GET.
let found = try await session.request("search", parameters: ["q": "lupine"], encoder: .json)
  .options { $0.allowsBodyWithGET = true }
  .serializingString().value

// snippet.hide
print(found)
let tags = ["staff"], page = 2, token = "a-token", query = "ada"
// snippet.show

var parameters: Parameters = ["sort": "name"]
parameters["query"] = query
parameters["tags"] = ["a", "b"]
parameters["page"] = page + 1
parameters["sort"] = nil  // removes it
// snippet.hide
print(parameters.values.count)
// snippet.show

let form: Data = try URLEncodedFormEncoder().encode(["grant_type": "password"])

// snippet.hide
print(form.count)
// snippet.show

// snippet.hide
mock.stub(.post, "https://api.example.com/issues", .text("opened"))
// snippet.show

// Literals and variables of different types, at any depth.
let opened = try await session.request(
  "issues", method: .post,
  parameters: ["title": query, "assignee": ["login": "ada", "page": page], "labels": ["bug", ["id": 1]]], encoder: .json
)
.serializingString().value

// A type of your own, and an array or a dictionary in a variable.
struct Filter: Encodable, ParameterValue {
  var name: String
}
let filtered = try await session.request(
  "users", parameters: ["filter": ["tags": tags.parameterValue, "by": Filter(name: query)], "active": true]
)
.serializingDecodable([User].self).value

// Names as text or as constants, and functions for frequent headers.
let traced = session.request("users", headers: ["X-Trace": "42", .accept: "application/json"])
let authorized = session.request(
  "users", headers: [.accept("application/json"), .userAgent("demo/1.0"), .authorization(bearerToken: token)])

// An `HTTPFields`, for example the fields of a request that a server has received.
let fields: HTTPFields = [.accept: "application/json", .acceptLanguage: "de"]
let translated = session.request("users", headers: RequestHeaders(fields))

// snippet.hide
mock.stub(.query, "https://api.example.com/contacts", .json([ada]).field("Accept-Query", "\"application/json\""))
// snippet.show

// QUERY /contacts, with the parameters as JSON in the body.
let contacts = await session.request("contacts", method: .query, parameters: ["name": query], encoder: .json)
  .validate().serializingDecodable([User].self).response
print(contacts.headers[.acceptQuery] ?? "unknown")

// snippet.hide
print(
  users, ada, opened, filtered, await traced.serializingString().result, await authorized.serializingString().result)
print(await translated.serializingString().result)
print(mock.requests.map(\.url.requestTarget), mock.requests.map(\.headers))
// snippet.show

let report = try await session.request("report")
  .timeouts { $0.total = .seconds(5) }  // its other timeouts are the session's
  .options { $0.priority = .high }
  .serializingString().value

/// The response of a server to one of its calls, made from the responses to several requests.
func overview(before deadline: ContinuousClock.Instant) async throws -> String {
  try await Session.withDeadline(deadline) {
    let users = try await session.request("users").validate().serializingDecodable([User].self).value
    let report = try await session.request("report").validate().serializingString().value
    return "\(users.count) users, \(report)"
  }
}
let answer = try await overview(before: .now + .seconds(2))

// snippet.hide
print(report, answer)
// snippet.show

struct Maintenance: Error {}

let response = await session.request("report")
  .validate()
  .validate { request, response, data in
    if response.headerFields[.retryAfter] != nil { throw Maintenance() }
  }
  .serializingString().response

switch response.result {
case .success(let text): print(text)
case .failure(let error):
  switch error.kind {
  case .unacceptableStatusCode(404): print("there is no report")
  case .validationFailed where error.underlying is Maintenance: print("the report comes later")
  case .timedOut, .connectionRefused, .connectionLost: print("the server is not there")
  default: print(error.message)
  }
}

// The same rule as a result, in Alamofire's form.
let checked = await session.request("report")
  .validate { request, response, data in
    response.headerFields[.retryAfter] == nil ? .success(()) : .failure(Maintenance())
  }
  .serializingString().result

// snippet.hide
print(checked)
// snippet.show

/// The server's explanation of a refused request, as {"message": "…"}.
struct ServiceError: Error, Decodable {
  var message: String
}

func user(_ id: Int) async throws -> User {
  do {
    return try await session.request("users/{id}", path: ["id": id]).validate()
      .serializingDecodable(User.self, error: ServiceError.self).value
  } catch {  // a LupineError, without a cast
    throw error.serviceError(as: ServiceError.self) ?? error
  }
}

switch await session.download("users/7", to: .temporary).serializingFile().result {
case .success(let file): print(file.path)
case .failure(let error) where error.isCancelled: print("cancelled")
case .failure(let error):
  switch error.file?.kind {
  case .noSpace: print("free some room for \(error.file?.path ?? "it")")
  case .exists, .permissionDenied: print("choose another place")
  default: print(error.message, error.body?.count ?? 0)
  }
}
// snippet.hide
do {
  print(try await user(7))
} catch {
  print(error)
}
try mock.verify()

// The events of this request alone.
let watched = try await session.request("report")
  .monitor(.custom { event in print(event) })
  .serializingString().value

let prepared = session.request("report").startsImmediately(false)
  .responseString { response in print(response.result) }
// Nothing is sent before this call.
prepared.resume()

switch prepared.state {
case .initialized, .suspended: print("not running")
case .resumed: print("running, after \(prepared.retryCount) retries")
case .cancelled, .finished: print("over, after \(prepared.retryCount) retries")
}
// snippet.hide
print(watched)
await session.finishRequests()

let reading = Task {
  do throws(LupineError) {
    for try await line in session.streamRequest("report").serializingLines() { print(line) }
  } catch {
    print(error.kind)  // the error of a closure is any Error without throws(LupineError)
  }
}
// snippet.hide
await reading.value
// snippet.show

do throws(LupineError) {
  print(try await session.request("report").validate().serializingString().value)
} catch let error where error.kind == .timedOut(.total) {
  print("the report takes too long")
} catch {
  switch error.kind {
  case .timedOut(let timeout): print("the \(timeout) timeout has passed")
  case .unacceptableStatusCode(let code) where code >= 500: print("the server has failed")
  default: print("\(error.kind): \(error.message)")
  }
}
