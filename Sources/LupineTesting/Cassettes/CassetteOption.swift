public import LupineRecording

/// The options of a test's cassette.
struct CassetteOptions: Sendable {
  var recording = RecordingOptions()
  var replay = ReplayOptions()
  /// The age from which a cassette is recorded again in the mode `refresh`; `nil` if it never is.
  var lifetime: Duration?
}

/// An option of a test's cassette.
public struct CassetteOption: Sendable {
  let change: @Sendable (inout CassetteOptions) -> Void

  /// Compares these parts of a request to find the exchange that answers it.
  ///
  /// Default: the method, the URL and the query.
  public static func matching(_ parts: CassetteMatching.Part...) -> CassetteOption {
    CassetteOption { $0.replay.matching = CassetteMatching(parts) }
  }

  /// Replaces further secrets, or names texts that are none.
  public static func redacting(_ rules: Redaction.Rule...) -> CassetteOption {
    CassetteOption { options in
      options.recording.redaction = options.recording.redaction.redacting(rules)
      options.replay.redaction = options.replay.redaction.redacting(rules)
    }
  }

  /// Plays the exchanges at another pace: a factor of 0 plays without waiting.
  ///
  /// Default: 1, at the recorded times of the session's clock.
  public static func pace(_ factor: Double) -> CassetteOption { CassetteOption { $0.replay.pace = factor } }

  /// Lets the last exchange that matches a request answer all later equal requests, too.
  public static var repeating: CassetteOption { CassetteOption { $0.replay.isRepeating = true } }

  /// Plays all dates as they were recorded.
  ///
  /// Otherwise `Date`, `Expires` and the dates of cookies and of `Retry-After` move along with the session's date.
  public static var datesAsRecorded: CassetteOption { CassetteOption { $0.replay.dates = .asRecorded } }

  /// Keeps the bytes of bodies as they are on the wire, with their content codings.
  public static var exactBodies: CassetteOption { CassetteOption { $0.recording.bodies = .exact } }

  /// Keeps request bodies of up to this number of bytes; of longer ones only the length and the SHA-256.
  ///
  /// Default: 1 MiB.
  public static func uploads(upTo bytes: Int64) -> CassetteOption {
    CassetteOption { $0.recording.uploadLimit = bytes }
  }

  /// Records a cassette of at least this age again if `LUPINE_CASSETTES` is `refresh`.
  public static func refresh(after age: Duration) -> CassetteOption { CassetteOption { $0.lifetime = age } }
}
