#if canImport(Glibc)
  import Glibc
#endif
public import Lupine
public import LupineMock
import LupineTesting

/// Where the examples play: against a real httpbin on loopback where `LUPINE_HTTPBIN` names one, else on the mock.
///
/// The examples' own lines name public hosts; an adapter sends them to loopback, so no example leaves the machine.
public enum Stage {
  /// The address of httpbin on loopback; `nil` where the examples run offline.
  public static var httpbin: String? { getenv("LUPINE_HTTPBIN").map { String(cString: $0) } }

  /// A builder that reaches the hosts the examples name.
  public static func builder() -> Session.Builder {
    guard let httpbin else { return Session.Builder().install(.compression).transport(offline()) }
    return Session.Builder().umbrellaDefaults().adapter(OriginMap(["https://httpbin.org": httpbin]))
  }

  /// Makes that the default session.
  public static func set() throws {
    try builder().build().useAsDefault()
  }

  /// A mock that answers as httpbin does.
  public static func offline() -> MockTransport {
    let mock = MockTransport()
    for method in [HTTPRequest.Method.get, .post] {
      mock.stub([method], "https://httpbin.org/{name}") { request in
        .json(
          HTTPBinEcho(
            url: request.url.string, args: try arguments(request), headers: [:],
            json: request.body.isEmpty ? nil : try request.json(JSONValue.self)))
      }
    }
    return mock
  }

  private static func arguments(_ request: RecordedRequest) throws -> [String: String] {
    var arguments: [String: String] = [:]
    for item in (request.url.query ?? "").split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
      arguments[pair[0]] = pair.count > 1 ? pair[1] : ""
    }
    return arguments
  }
}

/// What httpbin answers, as far as the examples look at it.
private struct HTTPBinEcho: Encodable, Sendable {
  let url: String
  let args: [String: String]
  let headers: [String: String]
  let json: JSONValue?
}
