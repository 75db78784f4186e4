// Cookies: off by default; a session keeps them if the builder installs them.

import FoundationEssentials
import Lupine
import LupineMock

// snippet.hide
let mock = MockTransport()
mock.stub(.get, "https://example.com/{any...}", .text("hello"))
mock.stub(
  .get, "https://example.com/login", priority: 1, .text("in").field(.setCookie, "session=42; Path=/; Max-Age=3600"))
let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-\(UInt64.random(in: .min ... .max))")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "cookies.json").path
// snippet.show
let session = try Session.Builder().transport(mock).install(.cookies).build()
_ = try await session.request("https://example.com/login").serializingString().value
_ = try await session.request("https://example.com/inbox").serializingString().value  // carries the cookie
print(session.cookieJar?.cookies ?? [])

try session.cookieJar?.save(to: path)  // readable by its owner alone

let jar = CookieJar()
try jar.load(from: path)
let later = try Session.Builder().transport(mock).install(.cookies(in: jar)).build()
_ = try await later.request("https://example.com/inbox").serializingString().value
// snippet.hide
print(mock.requests.map { $0.headers[.cookie] ?? "no cookie" })
