import Lupine
import Requests
import Row

/// All that `import Lupine` brings, with its defaults.
@main enum UmbrellaRow {
  static func main() { Work.run { try await Requests.measure($0) { $0.standardDefaults() } } }
}
