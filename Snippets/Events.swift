// What happens to requests, while it happens and afterwards.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/users", .text("users"))
// snippet.show

let session = try Session.Builder()
  .transport(mock)  // or .curl
  .monitor(ClosureEventMonitor { event in print(event) })
  .build()
let request = session.request("https://api.example.com/users")
let response = await request.serializingString().response
print(response.metrics.waterfall)
print(request.allMetrics.count)  // one for each exchange: redirects, challenges and retries included
print(await request.cURLDescription())
session.withAllRequests { requests in print(requests.count, "under way") }
session.cancelAllRequests()
