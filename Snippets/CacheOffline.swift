// A program that reads without a network what it has stored on a disk.

import Lupine
import LupineSQLite

// snippet.hide
/// Reads an article; it is only compiled here, because the store needs its folder.
func read() async throws {
  // snippet.show
  let offlineCache = try HTTPCache(store: .sqlite(at: "/var/cache/reader", .megabytes(200)))
  let reader = try Session.Builder()
    .standardDefaults()
    .install(.cache(offlineCache))
    .build()

  func article(_ url: String) async throws(LupineError) -> String {
    do throws(LupineError) {
      return try await reader.request(url).validate().serializingString().value
    } catch {
      let stored = await reader.request(url).cachePolicy(.onlyStored).serializingString().response
      guard let text = stored.value else { throw error }
      return text
    }
  }

  _ = try await article("https://example.com/news")  // while there is a network
  await reader.finishBackgroundTasks()  // before the program ends
  // snippet.hide
}

print(read as Any)
