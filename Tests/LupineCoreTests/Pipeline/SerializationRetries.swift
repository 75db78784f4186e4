import LupineCore
import LupineFixtures

/// Repeats a request a number of times, and records what it receives.
struct LimitedRetrier: Retrier {
  var limit = 1
  let notes = Notes<AttemptOutcome>()

  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    notes.add(attempt)
    return attempt.retries < limit ? .retry : .doNotRetry
  }
}

/// The error of a text that is no array.
struct NoArray: Error {}

/// Returns the text that it receives, and records it; fails for a text that is no array.
struct ArrayText: ResponseSerializer {
  let notes = Notes<String>()

  func serialize(_ response: ReceivedResponse) throws -> String {
    let text = String(decoding: response.data, as: UTF8.self)
    notes.add(text)
    guard text.hasPrefix("[") else { throw NoArray() }
    return text
  }
}

/// Returns the text that it receives, and records it.
struct AnyText: ResponseSerializer {
  let notes = Notes<String>()

  func serialize(_ response: ReceivedResponse) throws -> String {
    let text = String(decoding: response.data, as: UTF8.self)
    notes.add(text)
    return text
  }
}
