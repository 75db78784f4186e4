public import LupineCore
import LupineRecording
import LupineSupport

/// Whether tests play their cassettes, or record them.
///
/// The environment variable `LUPINE_CASSETTES` sets the mode: `replay`, `record`, `record-missing` or `refresh`.
public enum CassetteMode: String, Sendable, Hashable, CaseIterable {
  /// Plays the cassette, and makes no connection.
  case replay
  /// Makes every exchange, and replaces the cassette.
  case record
  /// Plays the exchanges that the cassette has, makes all others, and adds them.
  case recordMissing = "record-missing"
  /// Records a cassette that is older than its option `refresh(after:)` says, or that does not exist; plays all others.
  case refresh

  /// Reads the mode from the environment of the process.
  ///
  /// - Throws: as `init(environment:)`.
  public init() throws(LupineError) { try self.init(environment: SystemEnvironment.variable) }

  /// Reads the mode from environment variables.
  ///
  /// - Parameter variable: returns the value of a variable.
  /// - Throws: kind `recordingFailed` if `LUPINE_CASSETTES` has another word; or if it records and `CI` is `true`, because a
  ///   recording on a server for continuous integration is lost, and its tests pass whatever a service says.
  public init(environment variable: (String) -> String?) throws(LupineError) {
    guard let word = variable("LUPINE_CASSETTES"), !word.isEmpty else {
      self = .replay
      return
    }
    guard let mode = CassetteMode(rawValue: word) else {
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw LupineError(
        .recordingFailed, "LUPINE_CASSETTES is \(word.debugDescription); it must be one of \(words), or not be set.")
    }
    guard mode == .replay || variable("CI") != "true" else {
      throw LupineError(
        .recordingFailed,
        "LUPINE_CASSETTES is \(word), but CI is true: cassettes are recorded on a developer's machine and committed.")
    }
    self = mode
  }
}
