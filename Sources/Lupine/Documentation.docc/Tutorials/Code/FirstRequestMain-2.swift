import Lupine

/// The answer of httpbin: the parameters that it has received.
struct Answer: Decodable, Sendable {
  var args: [String: String]
}

let answer = try await Lupine.request("https://httpbin.org/get", parameters: ["greeting": "hello"])
  .validate().serializingDecodable(Answer.self).value
print(answer.args["greeting"] ?? "no greeting")
