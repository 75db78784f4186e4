public import LupineCore
public import LupineFoundation

// Initializers that other HTTP libraries have. The compiler's message names the replacement.
extension Session {
  /// Unavailable: `Session.Builder` makes sessions.
  @available(*, unavailable, message: "Use Session.Builder().transport(transport).build().")
  public convenience init(transport: some Transport) {
    self.init(SessionConfiguration(), transport)
  }

  /// Unavailable: `Session.Builder` makes sessions.
  @available(
    *, unavailable,
    message: "Use Session.Builder().transport(transport).build(), or Session.default of the module Lupine."
  )
  public convenience init() { self.init(transport: FailingTransport(reason: LupineError(.other, "unavailable"))) }

  /// Unavailable: `Session.Builder` has a method for each part of a session.
  @available(
    *, unavailable,
    message: """
      Use Session.Builder(), then a method for each part, such as timeouts(), adapter(_:), retrier(_:), trust(_:) \
      and monitor(_:), then build().
      """
  )
  public convenience init(
    session: Any? = nil, configuration: Any? = nil, delegate: Any? = nil, rootQueue: Any? = nil,
    startRequestsImmediately: Bool = true, requestQueue: Any? = nil, serializationQueue: Any? = nil,
    interceptor: Any? = nil, serverTrustManager: Any? = nil, redirectHandler: Any? = nil,
    cachedResponseHandler: Any? = nil, requestSetup: Any? = nil, eventMonitors: Any? = nil
  ) {
    self.init()
  }

  /// Unavailable: `Session.Builder` has a method for each part of a session.
  @available(
    *, unavailable,
    message: "Use Session.Builder(), then a method for each part, such as timeouts(), then build()."
  )
  public convenience init(
    configuration: UnavailableConfiguration, delegate: Any? = nil, rootQueue: Any? = nil,
    startRequestsImmediately: Bool = true, requestQueue: Any? = nil, serializationQueue: Any? = nil,
    interceptor: Any? = nil, serverTrustManager: Any? = nil, redirectHandler: Any? = nil,
    cachedResponseHandler: Any? = nil, requestSetup: Any? = nil, eventMonitors: Any? = nil
  ) {
    self.init()
  }

  /// Unavailable: `Session.Builder` makes sessions.
  @available(*, unavailable, message: "Use Session.Builder().transport(transport).build().")
  public convenience init(_ transport: some Transport) { self.init(transport: transport) }

  /// Unavailable: `Session.Builder` makes sessions.
  @available(*, unavailable, message: "Use Session.Builder().baseURL(url), then a method for each part, then build().")
  public convenience init(baseURL: Any) { self.init() }

  /// Unavailable: `Session.Builder` makes sessions.
  @available(*, unavailable, message: "Use Session.Builder().transport(transport).baseURL(url).build().")
  public convenience init(transport: some Transport, baseURL: Any) { self.init(transport: transport) }

  /// Unavailable: `Session.Builder` makes sessions.
  @available(*, unavailable, message: "Use Session.Builder().transport(transport).baseURL(url).build().")
  public convenience init(baseURL: Any, transport: some Transport) { self.init(transport: transport) }

  /// Stands for a configuration of another HTTP library, so that the compiler's message names the replacement.
  public struct UnavailableConfiguration: Sendable {
    /// Stands for the default configuration.
    public static var `default`: Self { Self() }
    /// Stands for a configuration without caches and cookies on a disk.
    public static var ephemeral: Self { Self() }
    /// Stands for the configurations of Alamofire.
    public static var af: Self.Type { Self.self }
  }
}

extension Session.Builder {
  /// Unavailable: `transport(_:)` sets the transport.
  @available(*, unavailable, message: "Use Session.Builder().transport(transport).")
  public init(transport: some Transport) { self.init() }
}

// Alamofire's form of an upload of a file.
extension Session {
  /// Unavailable: `RequestBody.file` makes a body of a file.
  @available(*, unavailable, message: "Use upload(.file(file), to: url).")
  public func upload(_ file: URL, to url: some URLConvertible) -> UploadRequest { upload(.file(file), to: url) }
}
