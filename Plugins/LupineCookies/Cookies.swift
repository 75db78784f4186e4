import LupineCore
public import LupineSession

/// Keeps the cookies of a session and sends them back; without it, cookies are ignored.
///
/// Every session that is built has a jar of its own, unless one is given.
public struct Cookies: Plugin {
  private let jar: CookieJar?

  /// Keeps cookies in this jar, which other sessions may share; `nil` means a new one for each session.
  public init(in jar: CookieJar? = nil) { self.jar = jar }

  /// Adds the jar to the builder.
  public func install(in builder: inout Session.Builder) {
    builder = builder.cookieStore { [jar] in jar ?? CookieJar() }
  }
}

extension Plugin where Self == Cookies {
  /// Cookies, in a jar of the session's own.
  public static var cookies: Cookies { Cookies() }

  /// Cookies, in a jar that sessions can share.
  public static func cookies(in jar: CookieJar) -> Cookies { Cookies(in: jar) }
}

extension Session {
  /// The jar that the session keeps its cookies in; `nil` where it keeps none.
  public var cookieJar: CookieJar? { cookieStore as? CookieJar }
}
