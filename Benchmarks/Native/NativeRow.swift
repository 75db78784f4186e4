import NativeRequests
import Requests
import Row

/// The row of Lupine with only the core and the native transport.
@main enum NativeRow {
  static func main() { Work.run { try await Requests.measureNative($0) { $0 } } }
}
