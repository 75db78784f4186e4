// A program's tasks on the transport's own thread.

import Lupine

// snippet.hide
import FoundationEssentials

// Offline nobody answers there.
let service = ProcessInfo.processInfo.environment["LUPINE_HTTPBIN"] ?? "http://127.0.0.1:9"
// snippet.show
let transport = CurlTransport()
let session = try Session.Builder().transport(transport).baseURL(service).build()
let responses = await withTaskExecutorPreference(transport.executor) {
  await withTaskGroup { group in
    for number in 1...10 { group.addTask { await session.request("get?page=\(number)").serializingData().response } }
    return await group.reduce(into: []) { $0.append($1) }
  }
}
// snippet.hide
print(responses.map { $0.error?.message ?? "\($0.metrics.total)" })
