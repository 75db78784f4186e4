// An indicator of network activity in a terminal: the examples of AlamofireNetworkActivityIndicator's guide, on a mock.

import Lupine
import LupineObservability
// snippet.hide
import LupineMock

let transport = MockTransport()
transport.stub(.get, "https://example.com/report", .text("report").delay(.seconds(3)))

let (texts, text) = AsyncStream.makeStream(of: String.self)
@Sendable func show(_ line: String) { text.yield(line) }

// The request takes three seconds of virtual time. The indicator ends when the activity is released with its session.
let indicator = try await withSimulation { world in
  // snippet.show
  let activity = NetworkActivity()
  let busy = try Session.Builder().transport(transport).monitor(activity).build()
  let states = activity.states
  let indicator = Task {
    for await state in states { show(state.isShown ? "working …" : "") }
  }
  // snippet.hide
  print(try await busy.request("https://example.com/report").serializingString().value)
  try await world.sleep(for: .seconds(1))
  await busy.shutdown()
  return indicator
}
await indicator.value
text.finish()
var lines: [String] = []
for await line in texts { lines.append(line) }
// Idle, the delay before the start, active, the delay after the end, and idle.
guard lines == ["", "", "working …", "working …", ""] else { fatalError("The indicator shows \(lines).") }
print(lines)
// snippet.show

// Other delays than 1 second and 0.2 seconds.
let patient = NetworkActivity(startDelay: .seconds(3), completionDelay: .milliseconds(500))
print(patient.startDelay, patient.completionDelay, patient.state, patient.requestCount)
