import Lupine
import LupineObservability

/// Downloads that share one progress bar.
struct Downloads {
  let session: Session

  func pictures(_ names: [String]) async throws {
    let bar = SharedProgressBar("pictures", transfers: names.count)
    try await withThrowingTaskGroup { group in
      for name in names {
        group.addTask {
          _ = try await session.request(name).validate().downloadProgressBar(in: bar, as: name).serializingData().value
        }
      }
      try await group.waitForAll()
    }
  }
}
