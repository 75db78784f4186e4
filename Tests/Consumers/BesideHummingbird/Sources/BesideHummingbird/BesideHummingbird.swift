import Hummingbird
import Lupine
import NIOHTTP1

/// A server program whose own words are Hummingbird's and NIO's: with Lupine in the same file, none is ambiguous.
@main struct BesideHummingbird {
  static func main() {
    let method: HTTPMethod = .GET
    let headers: HTTPHeaders = ["Content-Type": "text/plain"]
    print(method.rawValue, headers.count, String(describing: answer), Request.self)
  }

  static func answer(_ request: Request) -> Response {
    Response(status: request.method == .get ? .ok : .methodNotAllowed)
  }
}
