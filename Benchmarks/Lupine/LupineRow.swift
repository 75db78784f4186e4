import Requests
import Row

/// The core and the libcurl transport alone.
@main enum LupineRow {
  static func main() { Work.run { try await Requests.measure($0) { $0 } } }
}
