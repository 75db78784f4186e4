#if canImport(Glibc)
  import Glibc
#endif
public import Lupine
import LupineMock
import LupineTesting

/// The servers of the examples: httpbin on loopback if `LUPINE_HTTPBIN` has its address, otherwise the mock.
///
/// The code of the examples names public hosts. An adapter maps these hosts to loopback, so no example uses the
/// network.
public enum Stage {
  /// The address of httpbin on loopback; `nil` if the examples run offline.
  public static var httpbin: String? { getenv("LUPINE_HTTPBIN").map { String(cString: $0) } }

  /// httpbin over the native transport if its address is known, otherwise the mock.
  public static var place: Place { httpbin.map { online($0, over: .native) } ?? offline }

  /// httpbin at this address, over the given transport.
  public static func online(_ httpbin: String, over transport: some Transport) -> Place {
    Place(transport: transport, origins: [home: httpbin, api: "\(httpbin)/anything"])
  }

  /// The mock.
  public static var offline: Place { Place(transport: mock(), origins: [:]) }

  /// A server of users: a scripted server over the native transport if httpbin is available, otherwise the mock.
  public static func users() throws -> Place {
    let name = #"{"name": "mattt"}"#
    if httpbin == nil {
      let mock = MockTransport()
      // Uses http, like the scripted server, so the pins of the example do not apply.
      mock.stub(.get, "http://api.example.com/v1/users/{id}", .json(["name": "mattt"]))
      return Place(transport: mock, origins: [api: "http://api.example.com"])
    }
    let server = try ScriptedServer(always: .json(name))
    return Place(transport: NativeTransport(), origins: [api: server.url], server: server)
  }

  /// Makes a session with ``place`` the default session.
  public static func set() throws {
    try Session.Builder().install(place).build().useAsDefault()
  }

  private static let home = "https://httpbin.org"
  private static let api = "https://api.example.com"

  /// A mock that answers as httpbin does.
  private static func mock() -> MockTransport {
    let mock = MockTransport()
    let stubs = [(HTTPRequest.Method.get, "\(home)/{name}"), (.post, "\(home)/{name}"), (.get, "\(api)/v1/users/{id}")]
    for (method, url) in stubs {
      mock.stub([method], url) { request in
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

/// The part of httpbin's answer that the examples use.
private struct HTTPBinEcho: Encodable, Sendable {
  let url: String
  let args: [String: String]
  let headers: [String: String]
  let json: JSONValue?
}
