import LupineCore
public import LupineSession

/// Stores the cookies of a session and sends them back; without this plugin, a session ignores cookies.
///
/// Each session gets its own jar, unless the caller supplies one.
public struct Cookies: Plugin {
  private let jar: CookieJar?

  /// Creates the plugin with a jar, which other sessions may share; `nil` makes a new jar for each session.
  public init(in jar: CookieJar? = nil) { self.jar = jar }

  /// Adds the jar to the builder.
  public func install(in builder: inout Session.Builder) {
    builder = builder.cookieStore { [jar] in jar ?? CookieJar() }
  }
}

extension Plugin where Self == Cookies {
  /// Cookies in a jar of the session's own.
  public static var cookies: Cookies { Cookies() }

  /// Cookies in a jar that sessions can share.
  public static func cookies(in jar: CookieJar) -> Cookies { Cookies(in: jar) }
}

extension Session {
  /// The jar of the session's cookies; `nil` if there is none.
  public var cookieJar: CookieJar? { cookieStore as? CookieJar }
}
