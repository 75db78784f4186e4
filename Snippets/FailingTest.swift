// The error message of a failing test.

import Lupine
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/v1/users/{id}", .text("mattt"))
mock.stub(.delete, "https://api.example.com/v1/users/{id}", .status(.noContent))
let session = try Session.Builder().transport(mock).build()
let response = await session.request("https://api.example.com/v2/users/42").serializingString().response
do {
  try mock.verify()
} catch {
  print(error)
}
// snippet.hide
print(response.error.map { "\($0)" } ?? "")
