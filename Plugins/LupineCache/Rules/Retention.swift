import HTTPTypes
import LupineFoundation

/// How long a store should keep a response.
enum Retention {
  /// The time for which the validator of a stale response is worth keeping: a week.
  static let validation: Double = 7 * 86_400
  /// The longest time: a hundred years.
  private static let longest: Double = 36_525 * 86_400

  /// Returns the rest of the freshness, plus the longer of the windows `stale-while-revalidate` and `stale-if-error`,
  /// plus a week if the response has a validator.
  ///
  /// There is no window if the response must not be used when it is stale.
  ///
  /// - Parameter lifetime: the lifetime in seconds that the caller has set; `nil` means that of the response.
  static func of(_ head: HTTPResponse, _ entry: ParsedEntry, lifetime: Double?, now: Date) -> Duration {
    let control = entry.control
    let freshness = Freshness(of: entry, lifetime: lifetime, now: now)
    let windows = ["stale-while-revalidate", "stale-if-error"].map { control.directives.seconds($0) ?? 0 }
    let window = control.forbidsStaleUse ? 0 : windows.max() ?? 0
    let hasValidator = EntityTag(of: head.headerFields) != nil || head.headerFields.contains(.lastModified)
    let seconds = max(0, freshness.rest + window) + (hasValidator ? validation : 0)
    return .seconds(min(seconds, longest))
  }
}
