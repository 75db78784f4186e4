// A program's tasks on the transport's own thread.

import Lupine

// snippet.hide
import FoundationEssentials

// Offline, no server listens on this port.
let service = ProcessInfo.processInfo.environment["LUPINE_HTTPBIN"] ?? "http://127.0.0.1:9"
// snippet.show
let transport = NativeTransport()
let session = try Session.Builder().transport(transport).baseURL(service).build()
let response = await withTaskExecutorPreference(transport.executor) {
  await session.request("get").serializingData().response
}
// snippet.hide
print(response.error?.message ?? "\(response.metrics.total)")
