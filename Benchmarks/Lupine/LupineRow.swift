import CurlRequests
import Requests
import Row

/// The row of Lupine with only the core and the libcurl transport.
@main enum LupineRow {
  static func main() { Work.run { try await Requests.measureCurl($0) { $0 } } }
}
