#if Observability
  import Glibc

  /// The methods that telemetry records by name.
  enum KnownMethods {
    /// The methods that the environment variable names, otherwise the standard's.
    static let all = named(by: getenv("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS").map { String(cString: $0) })

    /// Returns the methods of a comma-separated list, case-sensitive; for an empty list, those of RFC 9110, RFC 5789
    /// and QUERY.
    static func named(by list: String?) -> Set<String> {
      let names = (list ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
      return names.isEmpty ? standard : Set(names)
    }

    private static let standard: Set<String> = [
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]
  }
#endif
