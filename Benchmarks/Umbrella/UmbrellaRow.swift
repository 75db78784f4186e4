import Lupine
import NativeRequests
import Requests
import Row

/// The row of Lupine with the whole module `Lupine` and its standard defaults, among them the native transport.
@main enum UmbrellaRow {
  static func main() { Work.run { try await Requests.measureNative($0) { $0.standardDefaults() } } }
}
