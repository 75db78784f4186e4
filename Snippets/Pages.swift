// Headers, paths with values, links and pages.

import FoundationEssentials
import Lupine
// snippet.hide
import LupineMock

let api = "https://api.example.com"
let mock = MockTransport()
mock.stub(.get, api + "/repos/ada/lupine", .json(Repository(name: "lupine")))
mock.stub(.get, api + "/repos/ada/lupine/archive", .text("archive"))
let links = "<issues?page=2>; rel=\"next last\""
mock.stub(.get, api + "/repos/x/issues", .json([Issue(title: "one")]).field("Link", links))
mock.stub(.get, api + "/repos/x/issues?page=2", priority: 1, .json([Issue(title: "two")]))
let session = try Session.Builder().transport(mock).baseURL(api).build()
mock.stub(.get, api + "/users/7", .text("ada"))
let (owner, name, token) = ("ada", "lupine", "a-token")
// snippet.show

struct UserID: PathValue {
  var number: Int
  var pathText: String { "u\(number)" }
}

let traced = session.request("users/{id}", path: ["id": 7], headers: ["X-Trace": "42"])
print(await traced.serializingString().response.statusCode ?? 0)

let byName: RequestHeaders = ["X-Trace": "42", .accept: "application/json"]
let byFactory: RequestHeaders = [.accept("application/json"), .authorization(bearerToken: token)]

struct Repository: Codable, Sendable {
  var name: String
}

let repository = try await session.request("repos/{owner}/{name}", path: ["owner": owner, "name": name])
  .validate().serializingDecodable(Repository.self).value

let file = try await session.download(
  .template("repos/{owner}/{name}/archive", ["owner": owner, "name": name]), to: .temporary
)
.serializingFile().value

let issues = try HTTPURL("https://api.example.com/repos").appending(segments: owner, name, "issues")

// snippet.hide
print(byName, byFactory, repository, issues, try HTTPURL(api).appending(segments: UserID(number: 7)))
try FileManager.default.removeItem(at: file)
// snippet.show

let answer = await session.request("repos/x/issues").serializingData().response
print(answer.statusCode ?? 0, answer.value(of: "ETag") ?? "no tag", answer.headers.count)
let last = answer.links.first { $0.has(relation: "last") }?.url

// snippet.hide
print(last as Any)
// snippet.show

struct Issue: Codable, Sendable {
  var title: String
}

for try await page in session.pages(of: [Issue].self, from: "repos/x/issues", parameters: ["state": "open"]) {
  print(page.map(\.title))
}

// snippet.hide
let state = "open"
// snippet.show

// Parameters can be variables of different types, or a value of your own.
let some = session.pages(of: [Issue].self, from: "repos/x/issues", parameters: ["state": state, "per_page": 50])
// snippet.hide
for try await page in some { print(page.count) }
// snippet.show

for try await response in session.pages(of: [Issue].self, from: "repos/x/issues", limit: 10).responses.prefix(2) {
  print(response.value?.count ?? 0, response.metrics)
}
