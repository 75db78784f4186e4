import FoundationEssentials
import LupineCache
import LupineSession
import LupineSQLite
import CurlRequests
import Requests
import Row

/// The row of Lupine with an empty cache: in memory, or with `LUPINE_CACHE=disk` in a folder of SQLite's store.
@main enum CacheRow {
  static func main() {
    Work.run { work in
      guard Work.variable("LUPINE_CACHE") == "disk" else {
        let cache = HTTPCache(memory: .megabytes(8))
        return try await Requests.measureCurl(work) { $0.install(.cache(cache)) }
      }
      try await measureOnDisk(work)
    }
  }

  private static func measureOnDisk(_ work: Work) async throws {
    let folder = (Work.variable("TMPDIR") ?? "/tmp") + "/responses"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = SQLiteStore(at: folder, maximumSize: .gigabytes(16))
    let cache = try HTTPCache(store: store)
    try await Requests.measureCurl(work) { $0.install(.cache(cache)) }
    // An entry is given up if the store is slower than the transfer, and the figures would be those of no store.
    guard try await cache.size > 1 << 30 else { throw WorkError("the response was not stored") }
    await store.close()
  }
}
