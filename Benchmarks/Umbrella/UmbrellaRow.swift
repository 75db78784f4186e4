import Lupine
import CurlRequests
import Requests
import Row

/// The row of Lupine with the whole module `Lupine` and its standard defaults.
@main enum UmbrellaRow {
  static func main() { Work.run { try await Requests.measureCurl($0) { $0.standardDefaults() } } }
}
