import Lupine

let response = await Lupine.request("https://httpbin.org/get", parameters: ["greeting": "hello"])
  .serializingString().response
print(response.statusCode ?? 0, response.value ?? "")
