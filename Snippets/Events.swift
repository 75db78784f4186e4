// The events of requests, during the requests and afterwards.

import Lupine
// snippet.hide
import LupineMock
// snippet.show
import Synchronization

// snippet.hide

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/users", .text("users"))
// snippet.show

let session = try Session.Builder()
  .transport(mock)  // or .native
  .monitor(.custom { event in print(event) })
  .build()
let request = session.request("https://api.example.com/users")
let response = await request.serializingString().response
print(response.metrics.waterfall)
print(request.allMetrics.count)  // one for each exchange: redirects, challenges and retries included
print(await request.cURLDescription())
session.withAllRequests { requests in print(requests.count, "under way") }
session.cancelAllRequests()

/// Writes lines such as `GET https://api.example.com/users: 200 after 0.031 seconds`.
final class LineMonitor: EventMonitor {
  private let running = Mutex<[RequestID: (request: RequestSummary, since: Duration, status: Int?)]>([:])

  func receive(_ event: SessionEvent) {
    switch event.kind {
    case .started(let request): running.withLock { $0[event.request] = (request, event.time, nil) }
    case .head(let head): running.withLock { $0[event.request]?.status = head.status.code }
    case .finished(let error):
      guard let ended = running.withLock({ $0.removeValue(forKey: event.request) }) else { return }
      let result = error.map(\.message) ?? ended.status.map(String.init) ?? "no response"
      print("\(ended.request): \(result) after \(event.time - ended.since)")
    default: break
    }
  }
}

let logged = try Session.Builder().transport(mock).monitor(LineMonitor()).build()
_ = await logged.request("https://api.example.com/users").serializingString().response
// snippet.hide
mock.stub(.get, "https://api.example.com/nobody", .reset)
_ = await logged.request("https://api.example.com/nobody").serializingString().response
