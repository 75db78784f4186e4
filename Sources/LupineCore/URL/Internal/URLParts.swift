/// Where the parts of a URL lie in its bytes, and what a glance at them told.
struct URLParts {
  var scheme = HTTPURL.Scheme.https
  var hostKind = HTTPURL.HostKind.name
  /// Brackets included.
  var hostStart = 0
  var hostEnd = 0
  /// 0 when there is none or it is the scheme's default.
  var port = 0
  var pathStart = 0
  var pathEnd = 0
  var queryEnd = 0
}
