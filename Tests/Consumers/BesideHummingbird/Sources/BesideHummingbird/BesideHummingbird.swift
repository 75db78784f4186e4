import Foundation
import Hummingbird
import Logging
import Lupine
import LupineMock
import NIOHTTP1

/// A server program that uses names of Hummingbird, NIO and Lupine in one file, to show that no name is ambiguous.
@main struct BesideHummingbird {
  static func main() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/flower", .text("lupine"))
    let session: Session = try Session.Builder().transport(mock).build()

    let router = Router()
    router.get("flower") { request, _ in await relay(request, through: session) }
    let logger = Logger(label: "server")
    router.get("observed") { request, _ in try await Observed.serve(request, through: session, logger: logger) }
    _ = router.buildResponder()

    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/flower")
    print(describe(head.method, head.headers), try await fetch(through: session))
    let file = try await Observed.download()
    print("downloaded, and told of:", try String(contentsOf: file, encoding: .utf8))
    try FileManager.default.removeItem(at: file)
  }

  /// Answers a request to this server with the response of another server.
  static func relay(_ request: Request, through session: Session) async -> Response {
    guard request.method == .get else { return Response(status: .methodNotAllowed) }
    do {
      let text = try await fetch(through: session)
      return Response(status: .ok, body: .init(byteBuffer: .init(string: text)))
    } catch {
      return Response(status: .badGateway)
    }
  }

  static func fetch(through session: Session) async throws -> String {
    let request = try OutgoingRequest("https://example.com/flower")
    let response: DataResponse<String> = await session.request(request).validate().serializingString().response
    return try response.result.get()
  }

  /// Uses NIO's types of a method and of headers.
  static func describe(_ method: HTTPMethod, _ headers: HTTPHeaders) -> String {
    "\(method.rawValue) with \(headers.count) fields:"
  }
}
