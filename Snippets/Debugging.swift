// The description of a request, its timing, and its cURL command.

import Lupine
// snippet.hide
import SnippetSupport

try Stage.set()
// snippet.show

let request = Lupine.request("https://httpbin.org/ip")
let response = await request.serializingData().response
print(request)  // GET https://httpbin.org/ip (200)
debugPrint(request)  // the cURL command
print(await request.cURLDescription())
print(response.metrics)  // a timing line
