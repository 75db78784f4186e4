import Lupine

/// Asks httpbin to repeat a greeting.
struct Greeter: Sendable {
  /// The answer of httpbin: the parameters that it has received.
  struct Answer: Codable, Sendable {
    var args: [String: String]
  }

  var session = Session.default

  func greet(_ name: String) async throws(LupineError) -> String {
    let answer = try await session.request("https://httpbin.org/get", parameters: ["greeting": "hello \(name)"])
      .validate().serializingDecodable(Answer.self).value
    return answer.args["greeting"] ?? "no greeting"
  }
}
